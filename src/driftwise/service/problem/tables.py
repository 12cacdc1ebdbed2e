"""The tables of a problem file that need no other: rewards, guards, limits, what is logged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields as settings_of
from typing import Any

from ...core.base.placed import Fields, PlacedError
from ...core.base.validation import require_between, require_integer, require_known, require_number
from .settings import JOINS, SECOND, Guards, Limits, Logging, Rewards

__all__ = ["GUARD_KEYS", "KINDS", "LATE", "REWARD_KEYS", "ROWS", "ProblemError", "Tables"]

KINDS = ("binary", "number")  # of rewards; without one they are numbers, from 0 to 1 by default
LATE = ("ignore", "learn")
ROWS = ("full", "chosen")
REWARD_KEYS = ("kind", "range", "window", "default", "late", "join")
GUARD_KEYS = ("fallback", "largest_share", "over")
_WINDOW = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)")
_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


class ProblemError(PlacedError):
    """Something in a problem file is wrong; the message names the line, the key and the rule."""


class Tables(Fields):
    """Reads one table; every error names its place."""

    kind = ProblemError

    def reward(self, data: Mapping[str, Any]) -> Rewards:
        """Return what rewards are, and how long they are waited for."""
        table, place = self.table(data, (), "reward"), ("reward",)
        self.require_keys(table, place, REWARD_KEYS)
        kind = self.among(table, place, "kind", "number", KINDS)
        low, high = 0.0, 1.0
        if "range" in table:
            ends = self.list(table, place, "range")
            try:
                low, high = (require_number("range", end) for end in ends)
            except (TypeError, ValueError) as error:
                self.refuse((*place, "range"), f"range must be two numbers, got {ends!r} ({error})")
            if not low < high:
                self.refuse((*place, "range"), f"range must begin with the lower end, got {ends!r}")
        elif table.get("kind") == "number":
            self.refuse(place, "there must be a range, such as [0, 100]; policies see 0 to 1")
        default = table.get("default", low if low <= 0.0 <= high and low == 0.0 else "none")
        if default != "none":
            default = self.number(table, place, "default", 0.0, low=low, high=high)
        join = self.among(table, place, "join", "first", JOINS)
        late = self.among(table, place, "late", "ignore", LATE)
        if late == "learn" and (default != "none" or join != "first"):
            self.refuse(
                (*place, "late"),
                'late must be "ignore" unless default is "none" and join is "first"',
            )
        known = None if default == "none" else float(default)
        window = self.duration(table, place, "window", "1h")
        return Rewards(low, high, window, known, late == "learn", join, kind == "binary")

    def duration(
        self, table: Mapping[str, Any], place: tuple[str | int, ...], key: str, default: str
    ) -> int:
        """Return a length of time in microseconds."""
        text = self.text(table, place, key, default)
        found = _WINDOW.fullmatch(text.strip())
        if found is None or not 0 < (seconds := float(found[1]) * _UNITS[found[2]]) <= 366 * 86_400:
            self.refuse(
                (*place, key), f'{key} must be such as "90s", "15min", "2h" or "7d", got {text!r}'
            )
        return round(seconds * SECOND)

    def guards(self, data: Mapping[str, Any], arms: tuple[str, ...]) -> Guards:
        """Return what holds whatever the policy chooses."""
        table, place = self.table(data, (), "guards"), ("guards",)
        self.require_keys(table, place, GUARD_KEYS)
        fallback: int | None = None
        if "fallback" in table:
            fallback = self._arm(table["fallback"], (*place, "fallback"), arms)
        shares = table.get("largest_share", {})
        if not isinstance(shares, dict):
            shares = dict.fromkeys(arms, shares)
        found = {}
        for name, share in shares.items():
            arm = self._arm(name, (*place, "largest_share"), arms)
            try:
                found[arm] = require_between("largest_share", share, 0.01, 1.0)
            except (TypeError, ValueError) as error:
                self.refuse((*place, "largest_share"), error)
        return Guards(fallback, found, self.integer(table, "over", 1000, place=place))

    def _arm(self, given: Any, place: tuple[str | int, ...], arms: tuple[str, ...]) -> int:
        try:
            if arms:
                return arms.index(require_known(str(place[-1]), given, arms))
            return require_integer(str(place[-1]), given, at_least=0)
        except (TypeError, ValueError) as error:
            self.refuse(place, error)

    def log(self, data: Mapping[str, Any]) -> Logging:
        """Return what the log keeps of a decision."""
        table, place = self.table(data, (), "log"), ("log",)
        self.require_keys(table, place, ["rows", "context"])
        rows = self.among(table, place, "rows", "full", ROWS)
        return Logging(rows == "full", self.flag(table, place, "context", default=False))

    def limits(self, data: Mapping[str, Any]) -> Limits:
        """Return what is refused before it costs time or memory."""
        table = self.table(data, (), "limits")
        known = {each.name: each.default for each in settings_of(Limits)}
        self.require_keys(table, ("limits",), list(known))
        given: dict[str, Any] = {}
        for name in table:
            if isinstance(known[name], float):
                given[name] = self.number(table, ("limits",), name, 0.0, low=0.0, high=1e9)
            else:
                given[name] = self.integer(table, name, 1, place=("limits",), at_most=10**9)
        return Limits(**given)
