"""Service time goes on whatever the wall clock does."""

from __future__ import annotations

from driftwise.service.clock import Clock

SECOND = 1_000_000


class Machine:
    """A machine whose clocks are set by hand."""

    def __init__(self) -> None:
        self.wall, self.uptime = 1000 * SECOND, 5 * SECOND

    def clock(self, last: int = 0, before: Clock | None = None) -> Clock:
        anchor = None if before is None else before.anchor
        return Clock(last, anchor, wall=lambda: self.wall, uptime=lambda: self.uptime)

    def pass_time(self, seconds: int, jump: int = 0) -> None:
        self.wall += (seconds + jump) * SECOND
        self.uptime += seconds * SECOND


def test_jumps_of_the_wall_clock_are_counted_and_not_followed() -> None:
    machine = Machine()
    clock = machine.clock()
    start = clock.now()
    for jump in (3600, -7200, 0, 3600):
        machine.pass_time(1, jump)
        clock.look()
    assert clock.now() == start + 4 * SECOND
    assert clock.jumps == 3


def test_over_a_restart_a_jump_is_told_from_a_long_sleep_by_uptime() -> None:
    machine = Machine()
    first = machine.clock()
    start = first.now()
    machine.pass_time(10, jump=3600)
    again = machine.clock(last=start, before=first)
    assert again.now() == start + 10 * SECOND
    machine.pass_time(10, jump=-7200)
    third = machine.clock(last=again.now(), before=again)
    assert third.now() == start + 20 * SECOND


def test_on_another_machine_time_is_the_walls_and_never_goes_back() -> None:
    machine, other = Machine(), Machine()
    first = machine.clock()
    other.wall -= 3600 * SECOND
    last = first.now()
    foreign = first.anchor._replace(boot="another")
    moved = Clock(last, foreign, wall=lambda: other.wall, uptime=lambda: other.uptime)
    assert moved.now() == last
    other.pass_time(7200)
    assert moved.now() == last + 3600 * SECOND
