"""BENCHMARKS.md, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from .budget import Verdict
from .measurement import Measurement

__all__ = ["line_of", "page"]

_SIGNS = {"at_most": "≤", "at_least": "≥"}


def page(
    verdicts: Sequence[Verdict],
    facts: Mapping[str, str],
    peers: Mapping[str, Any] | None,
    figure: str,
) -> str:
    """Return the whole page."""
    held = [verdict for verdict in verdicts if verdict.limit is not None]
    met = sum(verdict.is_met for verdict in held)
    parts = [
        "# Benchmarks",
        f"Written by `make bench`; do not edit. {met} of {len(held)} targets are met.",
        "CPU time of one thread on one core, best of many, the two sides of a ratio run in turn in the "
        "same process. What was measured is the best time of the one over the best of the other. The "
        "spread is that of the same ratio within each fifth of the time: noise on the machine "
        "shows there. Ratios transfer from one machine to another; microseconds do not.",
        _table(
            ["work", "target", "measured", "spread", "verdict", "remark"],
            [_row(verdict) for verdict in verdicts],
        ),
        "## Growth",
        "Points are measured, dotted lines are what theory says, through the last point. The window "
        "and the horizon must not matter.",
        f"![Cost of a round against dimension, arms, window and horizon]({figure})",
        "## Other packages",
        *(_peers(peers) if peers else ["Not measured yet: `make bench-peers`."]),
        "## Machine",
        _table(["", ""], [[name, fact] for name, fact in facts.items()]),
    ]
    return "\n\n".join(parts) + "\n"


def line_of(verdict: Verdict) -> str:
    """Return one line for the terminal."""
    work, target, measured, spread, met, remark = _row(verdict)
    told = " ".join(part for part in (target and f"({target})", spread and f"[{spread}]") if part)
    return f"{met:>8}  {measured:>9}  {work} {told} {remark}".rstrip()


def _row(verdict: Verdict) -> list[str]:
    measurement, limit, is_met = verdict
    target = "" if limit is None else f"{_SIGNS[limit.side]} {_number(limit.bound, measurement)}"
    spread = ""
    if measurement.lower is not None and measurement.upper is not None:
        spread = f"{measurement.lower:.2f} to {measurement.upper:.2f}"
    told = "" if limit is None else "met" if is_met else "missed"
    measured = "" if measurement.value is None else _number(measurement.value, measurement)
    if limit is not None and measured and target.endswith(f" {measured}"):
        measured = f"{measurement.value:.5g} {measurement.unit}".rstrip()  # close: more digits
    return [measurement.work, target, measured, spread, told, measurement.note]


def _number(value: float, measurement: Measurement) -> str:
    digits = (
        f"{value:.2f}"
        if abs(value) < 10
        else f"{value:.1f}"
        if abs(value) < 100
        else f"{value:.0f}"
    )
    if digits.endswith((".00", ".0")):
        digits = digits.partition(".")[0].replace("-0", "0")
    return f"{digits} {measurement.unit}".rstrip()


def _cost(microseconds: float) -> str:
    return f"{microseconds:,.0f}" if microseconds >= 100 else f"{microseconds:.3g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    # A bar would end the cell.
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _peers(peers: Mapping[str, Any]) -> list[str]:
    ours = peers["driftwise"]["microseconds"]
    rows = []
    by_cost = sorted(peers["peers"].items(), key=lambda item: item[1].get("microseconds") or inf)
    for name, peer in by_cost:
        cost = peer.get("microseconds")
        told = ["", ""] if cost is None else [_cost(cost), f"{cost / ours:,.1f} x"]
        rows.append([name, peer.get("version", ""), *told, peer.get("remark", "")])
    rows.insert(
        0,
        [
            "**driftwise**",
            peers["driftwise"]["version"],
            _cost(ours),
            "1 x",
            "`Agent` with `SlidingWindowUCB`",
        ],
    )
    return [
        "Choose + learn from Python, d = 10, K = 10, another decision set in every round, each package in "
        "an environment of its own and through its public calls. They do not all do the same work: the "
        f"remark says what differs. Measured on {peers['date']} by `make bench-peers`, {peers['processor']}.",
        _table(["package", "version", "µs a round", "over driftwise", "remark"], rows),
    ]
