"""From a TOML file to an experiment, or to an error that names line, key and rule."""

from __future__ import annotations

import difflib
import itertools
import math
import re
import reprlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...core.base.errors import RuleError
from ...core.base.places import Place
from ...core.base.validation import require_known, require_number
from ...registry import all_policies, find_policy, find_world
from ...theory import RATES
from .experiment import Claim, Entry, Experiment, ExperimentError, Note
from .fields import Fields, raise_at
from .limits import require_feasible
from .parameters import maker_of, parameters_of
from .rules import RULES

__all__ = [
    "OWN_KEYS",
    "POLICY_KEYS",
    "WORLD_KEYS",
    "parse_experiment",
    "raise_at",
    "read_experiment",
]

OWN_KEYS = (
    "title", "description", "horizons", "replications", "seed", "checkpoints", "spacing",
    "variation_exponent", "skip_refused", "measured_facts", "scenario_seed", "quick", "worlds", "policies", "comparators",
    "claims", "notes",
)  # fmt: skip
WORLD_KEYS = ("name", "label", "horizons", "family", "delay")
POLICY_KEYS = ("name", "label", "tuned", "knows_variation", "rate", "families", "held_out", "grid")
_EVERYONE = "*"  # as a name: every policy that there is
_QUICK_KEYS = ("horizons", "replications", "checkpoints")
_RANGE_KEYS = ("from", "to", "points")
_SPACINGS = ("even", "log")
_MOST_POINTS = 10_000  # of a grid: each is a policy
_LONGEST_LABEL = 200  # characters
_LONGEST_KEY = 100  # parts, joined by dots; the parser takes time by their square
_LONG_KEY = re.compile(rf"""(?<![\w"'-])(?:[\w"'-]++\s*+\.\s*+){{{_LONGEST_KEY}}}""")


def read_experiment(path: Path, *, quick: bool = False) -> Experiment:
    """Return the experiment of a file; it is named after the file."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} must be UTF-8 text ({error})") from None
    return parse_experiment(text, path.stem, quick=quick)


def parse_experiment(text: str, name: str, *, quick: bool = False) -> Experiment:
    """Return the experiment that a TOML text describes.

    With ``quick``, its table ``[quick]`` overrides the rest.

    Examples
    --------
    >>> experiment = parse_experiment('''
    ... horizons = [1000]
    ... [[worlds]]
    ... name = "Sinusoid"
    ... [[policies]]
    ... name = "SlidingWindowUCB"
    ... ''', "mine")
    >>> experiment.replications, experiment.contestants
    (20, ('SlidingWindowUCB',))
    """
    if _LONG_KEY.search(text):
        raise ExperimentError(f"{name} must have keys of fewer than {_LONGEST_KEY} parts")
    try:
        data = tomllib.loads(text)
    except ValueError as error:  # also of a number with thousands of digits
        raise ExperimentError(f"{name} must be a TOML file: {error}") from None
    except RecursionError:
        raise ExperimentError(f"{name} must not nest its values so deeply") from None
    return _Reader(text, name).experiment(data, quick)


class _Reader(Fields):
    """Reads one file; every error names its place."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._name = name

    def experiment(self, data: dict[str, Any], quick: bool) -> Experiment:
        self.require_keys(data, (), OWN_KEYS)
        self.require_keys(self.table(data, (), "quick"), ("quick",), _QUICK_KEYS)
        if quick:
            data = data | data.get("quick", {})
        worlds = [
            self._world(entry, place) for place, entry in self.entries(data, "worlds", least=1)
        ]
        policies = [
            each
            for key in ("policies", "comparators")
            for place, entry in self.entries(data, key, least=int(key == "policies"))
            for each in self._policies(entry, place)
        ]
        self._unique(worlds, "worlds")
        self._unique(policies, "policies")
        experiment = Experiment(
            name=self._name,
            title=self.text(data, (), "title", self._name),
            description=self.text(data, (), "description", ""),
            horizons=self.horizons(data, ()),
            replications=self.integer(data, "replications", 20),
            seed=self.integer(data, "seed", 0, at_least=0),
            checkpoints=self.integer(data, "checkpoints", 50),
            spacing=self.among(data, (), "spacing", "even", _SPACINGS),
            worlds=tuple(worlds),
            policies=tuple(policies),
            claims=tuple(self._claim(*each) for each in self.entries(data, "claims")),
            notes=tuple(self._note(*each) for each in self.entries(data, "notes")),
            skips_refused=self.flag(data, (), "skip_refused", default=False),
            measures_facts=self.flag(data, (), "measured_facts", default=False),
            variation_exponent=self._exponent(data),
            scenario_seed=self.integer(data, "scenario_seed", 0, at_least=0)
            if "scenario_seed" in data
            else None,
            is_quick=quick,
            text=self._text,
        )
        self._require_judgeable(experiment)
        try:
            require_feasible(**experiment.size)
        except RuleError as error:
            raise_at(self._text, (error.parameter,), error)
        return experiment

    def _world(self, entry: dict[str, Any], place: Place) -> Entry:
        cls = self._class(entry, place, find_world)
        settings = {key: value for key, value in entry.items() if key not in WORLD_KEYS}
        known = [key for key in parameters_of(cls) if key != "horizon"]
        self.require_keys(entry, place, [*WORLD_KEYS, *known])
        label = self.text(entry, place, "label", entry["name"])
        horizons = self.horizons(entry, place) if "horizons" in entry else ()
        family = self.text(entry, place, "family", "")
        delay = entry.get("delay")
        return Entry(label, entry["name"], place, settings, horizons, family, delay)

    def _policies(self, entry: dict[str, Any], place: Place) -> list[Entry]:
        if entry.get("name") == _EVERYONE:
            return self._everyone(entry, place)
        cls = self._class(entry, place, find_policy)
        known = {**parameters_of(cls), **parameters_of(maker_of(cls))}
        self.require_keys(entry, place, [*POLICY_KEYS, *known])
        label = self.text(entry, place, "label", entry["name"])
        is_comparator = place[0] == "comparators"
        settings = {key: value for key, value in entry.items() if key not in POLICY_KEYS}
        grid = self.table(entry, place, "grid")
        self.require_keys(grid, (*place, "grid"), list(known))
        return [
            Entry(
                label=" ".join([label, *names]),
                name=entry["name"],
                place=place,
                settings=settings | dict(point),
                is_tuned=self.flag(entry, place, "tuned"),
                is_variation_known=self.flag(entry, place, "knows_variation"),
                rate=self.among(entry, place, "rate", "", RATES) if "rate" in entry else None,
                families=tuple(self.list(entry, place, "families")),
                comparator=label if is_comparator else None,
                is_held_out=self.flag(entry, place, "held_out", default=False),
            )
            for names, point in self._points(grid, (*place, "grid"))
        ]

    def _everyone(self, entry: dict[str, Any], place: Place) -> list[Entry]:
        """Return an entry for each policy there is, under its own name."""
        self.require_keys(entry, place, ["name", "except"])
        left_out = self.list(entry, place, "except")
        known = all_policies()
        for name in left_out:
            try:
                require_known("except", name, known)
            except (TypeError, ValueError) as error:
                raise_at(self._text, (*place, "except"), error)
        return [Entry(name, name, place) for name in known if name not in left_out]

    def _points(
        self, grid: dict[str, Any], place: Place
    ) -> Iterator[tuple[list[str], list[tuple[str, Any]]]]:
        """Yield the points of a grid: the words that tell it from the others, and its settings."""
        axes = [self._axis(key, grid[key], (*place, key)) for key in grid]
        n_points = math.prod(map(len, axes))
        if n_points > _MOST_POINTS:
            raise_at(
                self._text, place, f"a grid must have at most {_MOST_POINTS} points, got {n_points}"
            )
        for point in itertools.product(*axes):
            yield [words for words, _, _ in point], [(key, value) for _, key, value in point]

    def _axis(self, key: str, values: Any, place: Place) -> list[tuple[str, str, Any]]:
        if isinstance(values, list) and values:
            return [(f"{key}={value}", key, value) for value in values]
        if not isinstance(values, dict):
            rule = (
                f"a grid must be a list of values, or a range with from, to, points, got {values!r}"
            )
            raise_at(self._text, place, rule)
        self.require_keys(values, place, _RANGE_KEYS)
        for name in _RANGE_KEYS:
            if name not in values:
                raise_at(self._text, place, f"a range must have from, to and points, got no {name}")
        n = self.integer(values, "points", 2, place=place, at_least=2, at_most=_MOST_POINTS)
        low, high = values["from"], values["to"]
        return [
            (f"{key} {i + 1} of {n}", key, f"({low}) * (({high}) / ({low})) ** ({i} / {n - 1})")
            for i in range(n)
        ]

    def _claim(self, place: Place, entry: dict[str, Any]) -> Claim:
        self.require_keys(entry, place, Claim._fields)
        for key in ("title", "quote", "rule", "high"):
            if key not in entry:
                raise_at(self._text, place, f"a claim must have a {key}")
        self.among(entry, place, "rule", "", RULES)
        try:
            ends = {key: require_number(key, entry.get(key, 0.0)) for key in ("low", "high")}
        except (TypeError, ValueError) as error:
            raise_at(self._text, place, error)
        title, quote = (self.text(entry, place, key, "") for key in ("title", "quote"))
        return Claim(title, quote, entry["rule"], ends["high"], ends["low"])

    def _require_judgeable(self, experiment: Experiment) -> None:
        """Refuse claims that there is nothing to judge by."""
        for i, claim in enumerate(experiment.claims):
            rivals = [entry for entry in experiment.policies if entry.comparator is None][:2]
            if len(rivals) < 2:
                raise_at(self._text, ("claims", i), "a claim must be about two policies, got one")
            if claim.rule == "slopes" and not all(entry.rate for entry in rivals):
                rule = "a claim about slopes needs a rate of both policies"
                raise_at(self._text, ("claims", i), rule)

    def _note(self, place: Place, entry: dict[str, Any]) -> Note:
        self.require_keys(entry, place, Note._fields)
        return Note(*(self.text(entry, place, key, "") for key in Note._fields))

    def _class(self, entry: Mapping[str, Any], place: Place, find: Callable[[str], Any]) -> Any:
        if "name" not in entry:
            near = difflib.get_close_matches("name", entry, n=1)
            hint = f"; did you mean name instead of {near[0]}?" if near else ""
            raise_at(self._text, place, f"there must be a name{hint}")
        if not isinstance(entry["name"], str):
            raise_at(self._text, place, f"name must be a string, got {entry['name']!r}")
        try:
            return find(entry["name"])
        except ValueError as error:
            raise_at(self._text, (*place, "name"), error)

    def _unique(self, entries: Sequence[Entry], key: str) -> None:
        seen: set[str] = set()
        for entry in entries:
            if entry.label in seen:
                raise_at(
                    self._text,
                    entry.place,
                    f"label must differ among {key}, got {entry.label!r} twice",
                )
            if not entry.label.strip():
                raise_at(self._text, entry.place, "label must not be empty")
            if len(entry.label) > _LONGEST_LABEL or not entry.label.isprintable():
                rule = f"label must be at most {_LONGEST_LABEL} printable characters"
                raise_at(self._text, entry.place, f"{rule}, got {reprlib.repr(entry.label)}")
            seen.add(entry.label)

    def _exponent(self, data: Mapping[str, Any]) -> float:
        given = data.get("variation_exponent", 0)
        try:
            if isinstance(given, str):  # by floats: 1e99999999 as a fraction has as many digits
                above, _, below = given.partition("/")
                given = float(above) / float(below or 1)
            return require_number("variation_exponent", given)
        except (TypeError, ValueError, ZeroDivisionError):
            rule = f"variation_exponent must be a number or a fraction in quotes, got {given!r}"
            raise_at(self._text, ("variation_exponent",), rule)
