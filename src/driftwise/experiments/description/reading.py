"""From a TOML file to an experiment, or to a complaint that names line, key and rule."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

from ...core.validation import require_integer, require_known
from ...registry import find_policy, find_world
from ..pairing import maker_of, parameters_of
from .experiment import Claim, Entry, Experiment, ExperimentError, Note
from .places import Place, find_lines, line_of

__all__ = [
    "OWN_KEYS",
    "POLICY_KEYS",
    "WORLD_KEYS",
    "complain",
    "parse_experiment",
    "read_experiment",
]

OWN_KEYS = (
    "title", "description", "horizons", "replications", "seed", "checkpoints", "spacing",
    "variation_exponent", "quick", "worlds", "policies", "comparators", "claims", "notes",
)  # fmt: skip
WORLD_KEYS = ("name", "label")
POLICY_KEYS = ("name", "label", "tuned", "knows_variation", "rate", "grid")
_QUICK_KEYS = ("horizons", "replications", "checkpoints")
_RANGE_KEYS = ("from", "to", "points")
_SPACINGS = ("even", "log")


def read_experiment(path: Path, *, quick: bool = False) -> Experiment:
    """Return the experiment of a file; it is named after the file."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} must be a text in UTF-8 ({error})") from None
    return parse_experiment(text, path.stem, quick=quick)


def parse_experiment(text: str, name: str, *, quick: bool = False) -> Experiment:
    """Return the experiment that a text describes.

    With ``quick``, what its table ``[quick]`` says takes the place of the rest.

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
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(f"{name} must be a TOML file: {error}") from None
    return _Reader(text, name).experiment(data, quick)


def complain(text: str, place: Place, error: Exception | str) -> NoReturn:
    """Raise a complaint about a place of a file, with its line."""
    line = line_of(place, find_lines(text))
    where = f"line {line}: " if line else ""
    raise ExperimentError(f"{where}{_spelled(place)}: {error}") from None


def _spelled(place: Place) -> str:
    parts = [f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place]
    return "".join(parts).lstrip(".") or "file"


class _Reader:
    """Reads one file; every complaint knows where it comes from."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name

    def experiment(self, data: dict[str, Any], quick: bool) -> Experiment:
        self._known_keys(data, (), OWN_KEYS)
        if quick:
            self._known_keys(self._table(data, (), "quick"), ("quick",), _QUICK_KEYS)
            data = data | data.get("quick", {})
        worlds = [
            self._world(entry, place) for place, entry in self._entries(data, "worlds", least=1)
        ]
        policies = [
            each
            for key in ("policies", "comparators")
            for place, entry in self._entries(data, key, least=int(key == "policies"))
            for each in self._policies(entry, place)
        ]
        self._unique(worlds, "worlds")
        self._unique(policies, "policies")
        return Experiment(
            name=self._name,
            title=self._text_of(data, (), "title", self._name),
            description=self._text_of(data, (), "description", ""),
            horizons=self._horizons(data),
            replications=self._whole(data, "replications", 20),
            seed=self._whole(data, "seed", 0, at_least=0),
            checkpoints=self._whole(data, "checkpoints", 50),
            spacing=self._among(data, (), "spacing", "even", _SPACINGS),
            worlds=tuple(worlds),
            policies=tuple(policies),
            claims=tuple(self._claim(*each) for each in self._entries(data, "claims")),
            notes=tuple(self._note(*each) for each in self._entries(data, "notes")),
            variation_exponent=self._exponent(data),
            is_quick=quick,
            text=self._text,
        )

    def _world(self, entry: dict[str, Any], place: Place) -> Entry:
        cls = self._class(entry, place, find_world)
        settings = {key: value for key, value in entry.items() if key not in WORLD_KEYS}
        known = [key for key in parameters_of(cls) if key != "horizon"]
        self._known_keys(entry, place, [*WORLD_KEYS, *known])
        label = self._text_of(entry, place, "label", entry["name"])
        return Entry(label, entry["name"], place, settings)

    def _policies(self, entry: dict[str, Any], place: Place) -> list[Entry]:
        cls = self._class(entry, place, find_policy)
        known = {**parameters_of(cls), **parameters_of(maker_of(cls))}
        self._known_keys(entry, place, [*POLICY_KEYS, *known])
        label = self._text_of(entry, place, "label", entry["name"])
        is_comparator = place[0] == "comparators"
        settings = {key: value for key, value in entry.items() if key not in POLICY_KEYS}
        grid = self._table(entry, place, "grid")
        self._known_keys(grid, (*place, "grid"), list(known))
        return [
            Entry(
                label=" ".join([label, *names]),
                name=entry["name"],
                place=place,
                settings=settings | dict(point),
                is_tuned=self._flag(entry, place, "tuned"),
                is_variation_known=self._flag(entry, place, "knows_variation"),
                rate=entry.get("rate"),
                comparator=label if is_comparator else None,
            )
            for names, point in self._points(grid, (*place, "grid"))
        ]

    def _points(
        self, grid: dict[str, Any], place: Place
    ) -> Iterator[tuple[list[str], list[tuple[str, Any]]]]:
        """Yield the points of a grid: the words that tell it from the others, and its settings."""
        axes = [self._axis(key, grid[key], (*place, key)) for key in grid]
        for point in itertools.product(*axes):
            yield [words for words, _, _ in point], [(key, value) for _, key, value in point]

    def _axis(self, key: str, values: Any, place: Place) -> list[tuple[str, str, Any]]:
        if isinstance(values, list) and values:
            return [(f"{key}={value}", key, value) for value in values]
        if not isinstance(values, dict):
            rule = (
                f"a grid must be a list of values, or a range with from, to, points, got {values!r}"
            )
            complain(self._text, place, rule)
        self._known_keys(values, place, _RANGE_KEYS)
        for name in _RANGE_KEYS:
            if name not in values:
                complain(self._text, place, f"a range must have from, to and points, got no {name}")
        n = self._whole(values, "points", 2, place=place, at_least=2)
        low, high = values["from"], values["to"]
        return [
            (f"{key} {i + 1} of {n}", key, f"({low}) * (({high}) / ({low})) ** ({i} / {n - 1})")
            for i in range(n)
        ]

    def _claim(self, place: Place, entry: dict[str, Any]) -> Claim:
        self._known_keys(entry, place, Claim._fields)
        try:
            return Claim(**entry)
        except TypeError as error:
            complain(self._text, place, f"a claim must have title, quote, rule and high ({error})")

    def _note(self, place: Place, entry: dict[str, Any]) -> Note:
        self._known_keys(entry, place, Note._fields)
        return Note(*(self._text_of(entry, place, key, "") for key in Note._fields))

    def _entries(
        self, data: Mapping[str, Any], key: str, least: int = 0
    ) -> list[tuple[Place, dict[str, Any]]]:
        entries = data.get(key, [])
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            complain(self._text, (key,), f"{key} must be tables, each begun by [[{key}]]")
        if len(entries) < least:
            complain(self._text, (), f"there must be at least one [[{key}]]")
        return [((key, i), entry) for i, entry in enumerate(entries)]

    def _class(self, entry: Mapping[str, Any], place: Place, find: Callable[[str], Any]) -> Any:
        if not isinstance(entry.get("name"), str):
            complain(self._text, place, f"name must be a text, got {entry.get('name')!r}")
        try:
            return find(entry["name"])
        except ValueError as error:
            complain(self._text, (*place, "name"), error)

    def _unique(self, entries: Sequence[Entry], key: str) -> None:
        seen: set[str] = set()
        for entry in entries:
            if entry.label in seen:
                complain(
                    self._text,
                    entry.place,
                    f"label must differ among {key}, got {entry.label!r} twice",
                )
            if not entry.label.strip():
                complain(self._text, entry.place, "label must not be empty")
            seen.add(entry.label)

    def _horizons(self, data: Mapping[str, Any]) -> tuple[int, ...]:
        horizons = data.get("horizons")
        if not isinstance(horizons, list) or not horizons:
            complain(self._text, ("horizons",), f"horizons must be a list, got {horizons!r}")
        try:
            return tuple(sorted({require_integer("horizons", each) for each in horizons}))
        except (TypeError, ValueError) as error:
            complain(self._text, ("horizons",), error)

    def _exponent(self, data: Mapping[str, Any]) -> float:
        given = data.get("variation_exponent", 0)
        try:
            return float(Fraction(str(given)))
        except (ValueError, ZeroDivisionError):
            rule = f"variation_exponent must be a number or a fraction in quotes, got {given!r}"
            complain(self._text, ("variation_exponent",), rule)

    def _known_keys(self, table: Mapping[str, Any], place: Place, known: Sequence[str]) -> None:
        for key in table:
            try:
                require_known("key", key, known)
            except ValueError as error:
                complain(self._text, (*place, key), error)

    def _table(self, data: Mapping[str, Any], place: Place, key: str) -> dict[str, Any]:
        table = data.get(key, {})
        if not isinstance(table, dict):
            complain(self._text, (*place, key), f"{key} must be a table, got {table!r}")
        return table

    def _whole(
        self, data: Mapping[str, Any], key: str, usual: int, *, place: Place = (), at_least: int = 1
    ) -> int:
        try:
            return require_integer(key, data.get(key, usual), at_least=at_least)
        except (TypeError, ValueError) as error:
            complain(self._text, (*place, key), error)

    def _text_of(self, data: Mapping[str, Any], place: Place, key: str, usual: str) -> str:
        text = data.get(key, usual)
        if not isinstance(text, str):
            complain(self._text, (*place, key), f"{key} must be a text, got {text!r}")
        return text

    def _flag(self, data: Mapping[str, Any], place: Place, key: str) -> bool:
        flag = data.get(key, True)
        if not isinstance(flag, bool):
            complain(self._text, (*place, key), f"{key} must be true or false, got {flag!r}")
        return flag

    def _among(
        self, data: Mapping[str, Any], place: Place, key: str, usual: str, known: Any
    ) -> Any:
        try:
            return require_known(key, data.get(key, usual), known)
        except (TypeError, ValueError) as error:
            complain(self._text, (*place, key), error)
