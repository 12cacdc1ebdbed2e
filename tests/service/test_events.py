"""Events are what they were when they are read again, by this version and by later ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftwise.service.events import (
    Begun,
    Checked,
    Controlled,
    DamageError,
    Decided,
    Event,
    Expired,
    Machine,
    Rewarded,
    Row,
    event_of,
    row_of,
)

EVENTS = [
    Event(1, 5, "", Begun("name = 'x'", "policy", 3, b"secret", 1, {"numpy": "2"})),
    Event(2, 5, "", Machine({"cpu": "x"}, 5, "boot", 17)),
    Event(3, 6, "a", Decided(3, 66, b"12345678", [1, 2], 0, 1, 0.25, 1, 1, 77, [0, 0.25, 0.5], 0.5, 2, b"mark", ["u", "v"], {"hour": 3}, False)),
    Event(4, 7, "a", Rewarded(0.5, 0, "part", True, 12)),
    Event(5, 8, "", Expired(["a", "b"])),
    Event(6, 8, "", Controlled("key", "why", "fallback", True, True, [1], 0.5, "what")),
    Event(7, 9, "", Checked("digest")),
]  # fmt: skip
GOLDEN = Path(__file__).parent / "events.json"  # the bytes of these, as version 0.2 wrote them


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event.body).__name__)
def test_every_kind_goes_round(event: Event) -> None:
    assert event_of(row_of(event)) == event


@pytest.mark.parametrize("place", range(len(EVENTS)))
def test_old_bytes_are_still_read(place: int) -> None:
    seq, kind, name, t, crc, body = json.loads(GOLDEN.read_text())[place]
    assert event_of(Row(seq, kind, name, t, crc, bytes.fromhex(body))) == EVENTS[place]


def test_any_flipped_bit_is_noticed() -> None:
    row = row_of(EVENTS[2])
    for place in range(0, 8 * len(row.body), 7):
        damaged = bytearray(row.body)
        damaged[place // 8] ^= 1 << place % 8
        with pytest.raises(DamageError, match="event 3"):
            event_of(row._replace(body=bytes(damaged)))
    for change in ({"seq": 4}, {"id": "b"}, {"t": 7}, {"kind": 2}):
        with pytest.raises(DamageError):
            event_of(row._replace(**change))
