"""Worlds and policies out of their entries in an experiment, each built once."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...core.base.errors import RuleError, RuleValueError
from ...core.base.validation import require_known
from ...core.engine.starting import started
from ...registry import find_policy, find_world
from ..spec.experiment import Entry, Experiment, ExperimentError
from ..spec.expressions import evaluate
from ..spec.fields import raise_at
from ..spec.parameters import maker_of, parameters_of
from .lateness import delay_of, late
from .tuning import MissingSettingsError, default_settings, facts_about, make, tune

__all__ = ["Builder"]

_NUMBERS = ("int", "float", "int | None", "float | None")


class Builder:
    """Builds what an experiment describes; errors in settings name the line of the file.

    Examples
    --------
    >>> from driftwise.experiments.spec.reading import parse_experiment
    >>> builder = Builder(parse_experiment('''
    ... horizons = [1000]
    ... [[worlds]]
    ... name = "Sinusoid"
    ... variation = "T ** (1/3)"
    ... [[policies]]
    ... name = "SlidingWindowUCB"
    ... window = "T // 10"
    ... ''', "mine"))
    >>> round(builder.world("Sinusoid", 1000).variation, 9)
    10.0
    >>> builder.policy("SlidingWindowUCB", "Sinusoid", 1000).window
    100
    """

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._worlds = {entry.label: entry for entry in experiment.worlds}
        self._policies = {entry.label: entry for entry in experiment.policies}
        self._made: dict[tuple[str, ...], Any] = {}

    def world(self, label: str, horizon: int) -> Any:
        """Return a world of the experiment at one horizon."""
        return self._once(("world", label, str(horizon)), lambda: self._world(label, horizon))

    def facts(self, label: str, horizon: int) -> dict[str, Any]:
        """Return what policies may be told about a world."""
        world = self.world(label, horizon)
        facts: dict[str, Any] = self._once(
            ("facts", label, str(horizon)),
            lambda: facts_about(
                world, self.experiment.seed, is_measured=self.experiment.measures_facts
            ),
        )
        return facts

    def policy(self, label: str, world: str, horizon: int) -> Any:
        """Return a policy as it plays in a world at one horizon."""
        entry = self._policies[label]
        return self._once(
            ("policy", label, world, str(horizon)),
            lambda: self._policy(entry, self.facts(world, horizon)),
        )

    def build_all(self) -> None:
        """Build and start every policy in every world once, so that errors come before the work."""
        for world, horizon in self.experiment.settings:
            for entry in self.experiment.policies:
                if self.experiment.skips_refused:
                    self.refusal(entry.label, world, horizon)
                else:
                    self._require_player(entry, world, horizon)

    def refusal(self, label: str, world: str, horizon: int) -> str | None:
        """Return why a policy does not play in a world, in an experiment that leaves such out."""
        if not self.experiment.skips_refused:
            return None
        reason: str | None = self._once(
            ("refusal", label, world, str(horizon)), lambda: self._refusal(label, world, horizon)
        )
        return reason

    def players(self, world: str, horizon: int) -> list[str]:
        """Return the labels of the policies that play in a world."""
        return [
            entry.label
            for entry in self.experiment.policies
            if self.refusal(entry.label, world, horizon) is None
        ]

    def _refusal(self, label: str, world_label: str, horizon: int) -> str | None:
        families = self._policies[label].families
        if families and self._worlds[world_label].family not in families:
            return f"{label} is asked to play in {' and '.join(families)} only"
        self.world(world_label, horizon)  # an error in the world is not a matter of who plays there
        try:
            self._start(label, world_label, horizon)
        except ExperimentError as error:
            return error.reason  # without the line: nobody need fix it
        except (TypeError, ValueError, OverflowError) as error:
            return str(error)
        return None

    def _require_player(self, entry: Entry, world: str, horizon: int) -> None:
        self.policy(entry.label, world, horizon)  # raises by itself
        hint = "skip_refused = true leaves a policy out where it cannot play"
        with self._errors_of(entry, f" (in {world}); {hint}"):
            self._start(entry.label, world, horizon)

    def _start(self, label: str, world_label: str, horizon: int) -> None:
        world = self.world(world_label, horizon)
        policy = self.policy(label, world_label, horizon)
        started(policy, world.n_arms, world.dimension, world.decision_set)

    def settings(self, label: str, horizon: int) -> dict[str, Any]:
        """Return the settings of a world at one horizon, formulas worked out."""
        entry = self._worlds[label]
        cls = find_world(entry.name)
        with self._errors_of(entry):
            given = _worked_out(entry.settings, {"T": horizon}, parameters_of(cls))
        late = {} if entry.delay is None else {"delay": entry.delay}
        return default_settings(cls) | given | {"horizon": horizon} | late

    def _once(self, key: tuple[str, ...], build: Callable[[], Any]) -> Any:
        if key not in self._made:
            self._made[key] = build()
        return self._made[key]

    def _world(self, label: str, horizon: int) -> Any:
        entry = self._worlds[label]
        cls = find_world(entry.name)
        settings = self.settings(label, horizon)
        delay = settings.pop("delay", None)
        if "horizon" not in parameters_of(cls):
            del settings["horizon"]  # a world of arrays has as many rounds as they have rows
        with self._errors_of(entry):
            world = make(cls, entry.name, settings)
            if world.horizon != horizon:
                rule = f"be [{world.horizon}] for {entry.name}"
                raise RuleValueError("horizons", rule, horizon, "")
            if delay is not None:
                world = late(world, delay_of(delay))
        return world

    def _policy(self, entry: Entry, facts: Mapping[str, Any]) -> Any:
        with self._errors_of(entry):
            return self._made_policy(entry.name, entry.settings, facts, entry)

    def _made_policy(
        self, name: str, settings: Mapping[str, Any], facts: Mapping[str, Any], entry: Entry
    ) -> Any:
        cls = find_policy(name)
        known = {**parameters_of(cls), **parameters_of(maker_of(cls))}
        names = {"T": facts["horizon"], "d": facts["dimension"], "K": facts["n_arms"]}
        names["S"] = facts.get("parameter_norm", 1.0)  # what policies go by if nobody tells them
        for symbol, fact in {"B": "variation", "R": "noise", "s": "deviation"}.items():
            if fact in facts:
                names[symbol] = facts[fact]
        inner = {
            key: self._inner_policies(key, value, facts, entry) for key, value in settings.items()
        }
        values = _worked_out(inner, names, known)
        if not entry.is_tuned:
            return make(cls, name, values)
        return tune(cls, facts, values, is_variation_known=entry.is_variation_known)[0]

    def _inner_policies(self, key: str, value: Any, facts: Mapping[str, Any], entry: Entry) -> Any:
        """Return the policies that a table, or a list of tables, describes."""
        if isinstance(value, dict):
            rest = {name: each for name, each in value.items() if name != "name"}
            try:
                cls = find_policy(value.get("name", ""))
                for name in rest:
                    require_known(
                        "setting", name, [*parameters_of(cls), *parameters_of(maker_of(cls))]
                    )
                return self._made_policy(value["name"], rest, facts, entry)
            except (TypeError, ValueError) as error:
                raise RuleValueError(key, f"describe a policy: {error}", value, "") from None
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            return tuple(self._inner_policies(key, each, facts, entry) for each in value)
        return value

    @contextmanager
    def _errors_of(self, entry: Entry, note: str = "") -> Iterator[None]:
        """Give errors the line of the setting, or of the entry if the setting has none."""
        try:
            yield
        except (TypeError, ValueError, OverflowError) as error:
            key = error.parameter if isinstance(error, RuleError) else ""
            place = (*entry.place, key) if key in entry.settings or key == "delay" else entry.place
            raise_at(self.experiment.text, place, f"{_said(error)}{note}")


def _said(error: Exception) -> str:
    """Return what is wrong; a file has no options to add."""
    if isinstance(error, MissingSettingsError) and not error.is_in_file:
        return f"{error.need}, such as {error.missing[0]}=VALUE"
    return str(error)


def _worked_out(
    settings: Mapping[str, Any], names: Mapping[str, float], known: Mapping[str, inspect.Parameter]
) -> dict[str, Any]:
    """Return the settings with formulas evaluated: strings where a number is wanted."""
    values = dict(settings)
    for key, value in settings.items():
        hint = known[key].annotation if key in known else ""
        # Whether or not annotations are evaluated in that module, and by named tuples.
        kind = str(getattr(hint, "__forward_arg__", getattr(hint, "__name__", hint)))
        if isinstance(value, str) and kind in _NUMBERS:
            try:
                number = evaluate(value, names)
            except ValueError as error:
                rule = f"be a number or a valid formula: {error}"
                raise RuleValueError(key, rule, value, "") from None
            # A hair of tolerance: 1000 ** (1/3) is 9.999999999999998.
            values[key] = math.floor(number + 1e-9) if kind.startswith("int") else number
    return values
