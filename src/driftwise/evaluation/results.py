"""What an evaluation found: plain numbers, their intervals, and sentences that say what they mean."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.optional_packages import needed_for
from ..core.base.showing import html_of, plain_number, text_of
from ..core.base.validation import require_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Course", "Difference", "Evaluated", "Evaluation", "cell", "plain", "spelled"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Course:
    """A value over time, at some events."""

    kind: str  # what the limits are, in words
    events: NDArray[np.int64]  # counted from 1
    value: Numbers
    low: Numbers  # nan where there is no limit
    high: Numbers

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        numbers = {
            name: [plain(v) for v in getattr(self, name)] for name in ("value", "low", "high")
        }
        return {"kind": self.kind, "events": self.events.tolist(), **numbers}


@dataclass(frozen=True)
class Evaluated:
    """What is known about one policy, or one target."""

    name: str
    value: float  # nan where nothing can be said
    low: float  # nan where no interval would be right
    high: float
    estimand: str  # what the value is a value of
    warnings: tuple[str, ...]  # the worst first
    events: int  # how many were scored
    effective: float  # how many of them the estimate rests on
    over_time: Course | None = field(default=None, repr=False)  # in a window, for one look
    sequence: Course | None = field(default=None, repr=False)  # so far, right at all times at once
    outcomes: Numbers | None = field(default=None, repr=False)  # of the scored events
    probabilities: Numbers | None = field(
        default=None, repr=False
    )  # of their rows; None for the log
    details: Mapping[str, Any] = field(default_factory=dict)  # numbers of one kind of evaluation
    instead: tuple[Evaluated, ...] = field(default=(), repr=False)  # what to rely on in its place

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; None where there is no number."""
        return {
            "name": self.name,
            "value": plain(self.value),
            "low": plain(self.low),
            "high": plain(self.high),
            "estimand": self.estimand,
            "warnings": list(self.warnings),
            "events": self.events,
            "effective": plain(self.effective),
            **{name: plain(value) for name, value in self.details.items()},
            "over_time": None if self.over_time is None else self.over_time.as_dict(),
            "sequence": None if self.sequence is None else self.sequence.as_dict(),
        }

    def as_text(self, told: Collection[str] = ()) -> str:
        """Return it as lines for a person: what is wrong first, then the number and what it means.

        Parameters
        ----------
        told
            Warnings that need not be said again.
        """
        said = [f"warning: {each}" for each in self.warnings if each not in told]
        said += [
            f"{self.name} as {each.name}: {spelled(each.value, each.low, each.high)}"
            for each in self.instead
        ]
        head = f"{self.name}: {spelled(self.value, self.low, self.high)}"
        return "\n".join([*said, head, f"  {self.estimand}"])


@dataclass(frozen=True)
class Difference:
    """How much more one policy brings than another, event by event on the same log."""

    first: str
    second: str
    value: float
    low: float
    high: float
    over_time: Course | None = field(default=None, repr=False)
    is_thin: bool = False  # rests on so few events that the interval is a rough one
    is_rejected: bool = False  # told by a model that real rewards reject

    @property
    def says(self) -> str:
        """The answer in a sentence."""
        return f"By a model that is rejected: {self._said}" if self.is_rejected else self._said

    @property
    def _said(self) -> str:
        shown = spelled(self.value, self.low, self.high)
        first, second = ("the log" if name == "log" else name for name in (self.first, self.second))
        if math.isnan(self.low):
            return f"Whether {first} does better than {second} cannot be told: {shown}."
        if self.is_thin and (self.low > 0.0 or self.high < 0.0):
            return (
                f"Whether {first} differs from {second} cannot be told: {shown} per event rests on too few "
                "events for such an interval."
            )
        if self.low > 0.0:
            return f"{first} does better than {second}: {shown} per event."
        if self.high < 0.0:
            return f"{first} does worse than {second}: {shown} per event."
        return f"No difference between {first} and {second} is seen: {shown} per event."

    def reversed(self) -> Difference:
        """Return how much more the second brings than the first."""
        course = self.over_time
        if course is not None:
            course = replace(course, value=-course.value, low=-course.high, high=-course.low)
        return replace(
            self, first=self.second, second=self.first, value=-self.value,
            low=-self.high, high=-self.low, over_time=course,
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        numbers = {name: plain(getattr(self, name)) for name in ("value", "low", "high")}
        return {
            "first": self.first,
            "second": self.second,
            **numbers,
            "is_thin": self.is_thin,
            "is_rejected": self.is_rejected,
            "says": self.says,
        }


class Evaluation(Mapping[str, Evaluated]):
    """What an evaluation found about each policy, by name."""

    def __init__(
        self,
        kind: str,
        results: Mapping[str, Evaluated],
        log: Evaluated,
        differences: Sequence[Difference],
        warnings: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind  # "advice", "share", "all traffic" or "replay"
        self.log = log  # what was earned in fact
        self.warnings = warnings  # about the log, or about all policies
        self._results = {
            name: replace(each, warnings=(*each.warnings, *warnings))
            for name, each in results.items()
        }
        self._differences = {(each.first, each.second): each for each in differences}

    def __getitem__(self, name: str) -> Evaluated:
        if name not in self._results:
            require_known("policy", name, self._results)
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        return text_of(*self._shown())

    def _repr_html_(self) -> str:
        return html_of(*self._shown())

    def _shown(self) -> tuple[str, list[tuple[str, str]], list[str], list[list[str]]]:
        facts = [("events", plain_number(self.log.events))]
        facts += [("warning", each) for each in self.warnings]
        found = [*self._results.values(), self.log]
        facts += [("warning", f"{each.name}: {said}") for each in found for said in each.warnings]
        rows = [
            [each.name, *map(cell, (each.value, each.low, each.high, each.effective))]
            for each in found
        ]
        head = ["policy", "value", "low", "high", "effective events"]
        return f"Evaluation as {self.kind}", facts, head, rows

    def compare(self, first: str, second: str) -> Difference:
        """Return how much more ``first`` brings than ``second``, paired; "log" is the log itself."""
        for name in (first, second):
            require_known("policy", name, (*self._results, self.log.name))
        if first == second:
            raise ValueError(f"compare must be given two policies, got {first!r} twice")
        if (first, second) in self._differences:
            return self._differences[first, second]
        other = self._differences[second, first]
        return other.reversed()

    @property
    def differences(self) -> list[Difference]:
        """Each policy against the log, then each pair of policies once."""
        return list(self._differences.values())

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "as": self.kind,
            "warnings": list(self.warnings),
            "policies": {name: each.as_dict() for name, each in self._results.items()},
            "log": self.log.as_dict(),
            "differences": [each.as_dict() for each in self.differences],
        }

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw what each policy and the log are worth over time, with their bands; return the axes.

        It needs matplotlib. A new figure is made if there are no axes to draw on.
        """
        with needed_for("Evaluation.plot"):
            import matplotlib.pyplot as plt
        axes = plt.subplots(layout="constrained")[1] if axes is None else axes
        courses = {each.name: each.over_time for each in (*self._results.values(), self.log)}
        for name, course in courses.items():
            if course is not None:
                axes.plot(course.events, course.value, label=name)
                axes.fill_between(course.events, course.low, course.high, alpha=0.2)
                axes.set_title(f"As {self.kind}, {course.kind}")
        axes.set(xlabel="event", ylabel="reward per event")
        axes.legend()
        return axes

    def as_text(self) -> str:
        """Return everything as lines for a person."""
        lines = [f"warning: {each}" for each in self.warnings]
        lines += [each.as_text(told=self.warnings) for each in (*self._results.values(), self.log)]
        return "\n".join([*lines, *(each.says for each in self.differences)])

    def __str__(self) -> str:
        return self.as_text()


def cell(value: float) -> str:
    """Return a number for a table, or nothing where there is none."""
    return "" if math.isnan(value) else plain_number(value)


def plain(value: Any) -> Any:
    """Return a number fit for JSON, which has no nan."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def spelled(value: float, low: float, high: float) -> str:
    """Return a number and its interval as text.

    Examples
    --------
    >>> spelled(0.5, 0.4, 0.6), spelled(0.5, float("nan"), float("nan"))
    ('0.5 [0.4, 0.6]', '0.5 (no interval)')
    """
    if math.isnan(value):
        return "not known"
    if math.isnan(low):
        return f"{value:.4g} (no interval)"
    return f"{value:.4g} [{low:.4g}, {high:.4g}]"
