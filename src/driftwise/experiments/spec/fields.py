"""Reading one field of an experiment file at a time; every error names its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from ...core.base import placed
from ...core.base.places import Place
from .experiment import ExperimentError
from .limits import require_horizon

__all__ = ["Fields", "raise_at"]


def raise_at(text: str, place: Place, error: Exception | str) -> NoReturn:
    """Raise an error about a place in a file, with its line."""
    raise ExperimentError.at(text, place, error) from None


class Fields(placed.Fields):
    """Reads fields from tables, or raises an error about what stands there."""

    kind = ExperimentError

    def entries(
        self, data: Mapping[str, Any], key: str, least: int = 0
    ) -> list[tuple[Place, dict[str, Any]]]:
        """Return the tables of an array of tables, each with its place."""
        entries = data.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            self.refuse((key,), f"{key} must be tables, each begun by [[{key}]]")
        if len(entries) < least:
            self.refuse((), f"there must be at least one [[{key}]]")
        return [((key, i), entry) for i, entry in enumerate(entries)]

    def horizons(self, data: Mapping[str, Any], place: Place) -> tuple[int, ...]:
        """Return horizons, the shortest first."""
        horizons, place = data.get("horizons"), (*place, "horizons")
        if not isinstance(horizons, list) or not horizons:
            self.refuse(place, f"horizons must be a list, got {horizons!r}")
        try:
            return tuple(sorted({require_horizon("horizons", each) for each in horizons}))
        except (TypeError, ValueError) as error:
            self.refuse(place, error)
