"""What was measured of the peers, kept in a file that `make bench` reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..measurement import Measurement, not_measured

__all__ = ["FILE", "fastest", "read_peers"]

FILE = Path(__file__).parents[1] / "peers.json"


def read_peers() -> dict[str, Any] | None:
    """Return what `make bench-peers` has written, or None."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else None


def fastest(peers: Mapping[str, Any] | None) -> Iterator[Measurement]:
    """Yield the cost of the fastest peer over ours, both taken when peers were measured."""
    key, work = (
        "fastest_peer_over_agent",
        "choose + learn from Python: the fastest peer over `Agent`",
    )
    costs = {
        name: peer["microseconds"]
        for name, peer in (peers or {"peers": {}})["peers"].items()
        if peer.get("microseconds") is not None
    }
    if peers is None or not costs:
        yield not_measured(key, work, "`make bench-peers` has not run")
        return
    name = min(costs, key=lambda name: costs[name])
    ours = peers["driftwise"]["microseconds"]
    note = f"{name}: {costs[name]:.3g} against {ours:.3g} µs, measured on {peers['date']}"
    yield Measurement(key, work, costs[name] / ours, note=note)
