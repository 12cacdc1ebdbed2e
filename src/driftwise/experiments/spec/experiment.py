"""What an experiment file says, as plain data: who plays where, for how long, how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ...core.base.placed import PlacedError
from ...core.base.places import Place

__all__ = ["Claim", "Entry", "Experiment", "ExperimentError", "Note"]


class ExperimentError(PlacedError):
    """Something in an experiment file is wrong; the message names the line, the key and the rule."""


class Claim(NamedTuple):
    """A sentence of a paper, and the numbers by which it is judged."""

    title: str
    quote: str
    rule: str  # one of the names in `rules.RULES`
    high: float  # the limit, or the upper end, or the tolerance: the rule says which
    low: float = 0.0


class Note(NamedTuple):
    """Something that a reader of the report should know."""

    kind: str  # the heading under which it stands
    what: str
    text: str


@dataclass(frozen=True)
class Entry:
    """A world, or a policy, under the label that tables and figures give it."""

    label: str
    name: str  # in the registry
    place: Place  # where it stands in the file
    settings: Mapping[str, Any] = field(default_factory=dict)
    # For worlds only.
    horizons: tuple[int, ...] = ()  # its own; those of the experiment if empty
    family: str = ""  # under which tables put it together with others of its kind
    delay: Any = None  # how late its rewards come, as it stands in the file
    # For policies only.
    is_tuned: bool = True
    is_variation_known: bool = True
    rate: str | None = None  # the name of its rate in `theory`, if there is one
    families: tuple[str, ...] = ()  # the only ones whose worlds it plays in; all if empty
    comparator: str | None = None  # one of several: only the best of them in hindsight counts
    is_held_out: bool = False  # picked on some replications, and scored on the others


@dataclass(frozen=True)
class Experiment:
    """One comparison: every policy in every world, at every horizon."""

    name: str
    title: str
    description: str
    horizons: tuple[int, ...]
    replications: int
    seed: int
    checkpoints: int
    spacing: Literal["even", "log"]
    worlds: tuple[Entry, ...]
    policies: tuple[Entry, ...]  # comparators come last
    claims: tuple[Claim, ...] = ()
    notes: tuple[Note, ...] = ()
    skips_refused: bool = False  # leave out policies where they cannot play, rather than raise
    measures_facts: bool = False  # tell policies what the path of the seed does, nothing nominal
    variation_exponent: float = 0.0  # the power of T with which the variation grows, for rates
    scenario_seed: int | None = None  # what drew the worlds; None if they were written by hand
    is_quick: bool = False
    text: str = field(default="", repr=False)  # the file as it was read

    @property
    def settings(self) -> list[tuple[str, int]]:
        """Every world with each of its horizons."""
        return [
            (world.label, horizon)
            for world in self.worlds
            for horizon in world.horizons or self.horizons
        ]

    @property
    def size(self) -> dict[str, Any]:
        """How much there is to play, as `limits.require_feasible` takes it."""
        return {
            "horizons": [horizon for _, horizon in self.settings],
            "replications": self.replications,
            "checkpoints": self.checkpoints,
            "n_policies": len(self.policies),
        }

    @property
    def has_families(self) -> bool:
        """Whether worlds belong to families, and are summed up rather than shown one by one."""
        return any(world.family for world in self.worlds) and bool(self.comparators)

    @property
    def contestants(self) -> tuple[str, ...]:
        """The labels of the policies that are compared, without comparators."""
        return tuple(entry.label for entry in self.policies if entry.comparator is None)

    @property
    def held_out(self) -> frozenset[str]:
        """The comparators that are picked on some replications and scored on the others."""
        found = (entry.comparator for entry in self.policies if entry.is_held_out)
        return frozenset(label for label in found if label is not None)

    @property
    def comparators(self) -> dict[str, tuple[str, ...]]:
        """The labels behind each comparator: whichever of them turns out best is the yardstick."""
        found: dict[str, tuple[str, ...]] = {}
        for entry in self.policies:
            if entry.comparator is not None:
                found[entry.comparator] = (*found.get(entry.comparator, ()), entry.label)
        return found
