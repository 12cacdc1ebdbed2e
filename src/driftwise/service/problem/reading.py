"""From a TOML file to a problem, or to an error that names line, key, rule and nearest name."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.base.errors import RuleError
from ...features.encoder import Encoder
from ...features.reading import encoder_in
from ...registry import find_policy
from .settings import Problem, Shadow, Template
from .tables import ProblemError, Tables

__all__ = ["KEYS", "ProblemError", "parse_problem", "policy_in", "problem_in", "read_problem"]

ENCODER_KEYS = ("context", "action", "cross", "per_action", "blocks")
KEYS = (
    "name", "arms", "actions", "seed", *ENCODER_KEYS, "reward", "policy", "exploration", "guards", "limits",
    "log", "shadow", "template",
)  # fmt: skip
SHADOW_KEYS = ("name", "policy")
TEMPLATE_KEYS = ("idle", "resident", "most")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


def read_problem(path: Path) -> Problem:
    """Return the problem of a file; it is named after the file unless it says otherwise."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path} must be UTF-8 text ({error})") from None
    return parse_problem(text, path.stem)


def parse_problem(text: str, name: str) -> Problem:
    r"""Return the problem that a TOML text describes.

    Examples
    --------
    >>> problem = parse_problem('arms = ["red", "blue"]', "button")
    >>> problem.arms, type(problem.policy).__name__, problem.share
    (('red', 'blue'), 'AdaptiveUCB', 0.02)
    >>> parse_problem('arms = ["red", "blue"]\n[reward]\nwindw = "2h"', "button")
    Traceback (most recent call last):
    driftwise...ProblemError: line 3: reward.windw: key must be one of kind, range, window, default,
    late, join, got 'windw'; did you mean 'window'?
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProblemError(f"{name} must be a TOML file: {error}") from None
    return _Reader(text, name).problem(data)


def problem_in(text: str, name: str) -> Problem:
    """Return the problem of a file that a log holds, also of one of the problems of a template."""
    return replace(parse_problem(text, name.partition(".")[0]), name=name)


def policy_in(table: Mapping[str, Any], dimension: int) -> Any:
    """Return the policy of a table like ``[policy]`` in a problem file.

    Examples
    --------
    >>> policy_in({"name": "SlidingWindowUCB", "window": 500, "noise": 0.2}, dimension=3).window
    500
    """
    return _Reader("", "policy")._policy({"policy": dict(table)}, dimension)


class _Reader(Tables):
    """Reads one file; every error names its place."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._default_name = name

    def problem(self, data: dict[str, Any]) -> Problem:
        self.require_keys(data, (), KEYS)
        name = self._named(self.text(data, (), "name", self._default_name), ("name",))
        features = self._arms(data)
        encoder = self._encoder(data, features)
        dimension = self._dimension(data, features, encoder)
        limits = self.limits(data)
        if dimension > limits.dimension:
            self.refuse((), f"rows must have at most {limits.dimension} columns, got {dimension}")
        exploration = self.table(data, (), "exploration")
        self.require_keys(exploration, ("exploration",), ["share"])
        share = self.number(exploration, ("exploration",), "share", 0.02, low=0.0, high=1.0)
        return Problem(
            name=name,
            policy=self._policy(data, dimension),
            arms=tuple(features),
            features=features,
            encoder=encoder,
            dimension=dimension,
            reward=self.reward(data),
            share=share,
            guards=self.guards(data, tuple(features)),
            limits=limits,
            log=self.log(data),
            seed=self.integer(data, "seed", 0, at_least=0),
            text=self._text,
            shadows=self._shadows(data, dimension),
            template=self._template(data),
        )

    def _template(self, data: Mapping[str, Any]) -> Template | None:
        if "template" not in data:
            return None
        table, place = self.table(data, (), "template"), ("template",)
        self.require_keys(table, place, TEMPLATE_KEYS)
        if "shadow" in data:
            self.refuse(place, "template must have no shadows: each would follow every problem")
        default = Template()
        return Template(
            self.duration(table, place, "idle", "10min"),
            self.integer(table, "resident", default.resident, place=place),
            self.integer(table, "most", default.most, place=place, at_most=10**7),
        )

    def _shadows(self, data: Mapping[str, Any], dimension: int) -> tuple[Shadow, ...]:
        found: list[Shadow] = []
        for i, table in enumerate(self.list(data, (), "shadow")):
            place = ("shadow", i)
            if not isinstance(table, dict):
                self.refuse(place, f"shadow must be tables, as [[shadow]], got {table!r}")
            self.require_keys(table, place, SHADOW_KEYS)
            name = self._named(self.text(table, place, "name", ""), (*place, "name"))
            if any(each.name == name for each in found):
                self.refuse((*place, "name"), f"name must differ from other shadows, got {name!r}")
            self._policy(table, dimension, place)
            found.append(Shadow(name, dict(self.table(table, place, "policy"))))
        return tuple(found)

    def _named(self, name: str, place: tuple[str | int, ...]) -> str:
        if not _NAME.fullmatch(name):
            rule = "name must be a letter, and then letters, digits, - and _, at most 40"
            self.refuse(place, f"{rule}, got {name!r}")
        return name

    def _arms(self, data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        arms = data.get("arms", {})
        if isinstance(arms, list):
            for name in arms:
                if not isinstance(name, str) or not name or arms.count(name) > 1:
                    self.refuse(("arms",), f"arms must have different names, got {name!r}")
            arms = {name: {} for name in arms}
        if not isinstance(arms, dict) or not all(isinstance(each, dict) for each in arms.values()):
            self.refuse(("arms",), f"arms must be names, or a table for each, got {arms!r}")
        come_with_requests = "actions" in data or ("action" in data and "arms" not in data)
        if ("arms" in data) == come_with_requests:
            self.refuse((), "there must be either arms or actions, which come with each request")
        if "arms" in data and not arms:
            self.refuse(("arms",), "arms must have at least one name, got none")
        return arms

    def _encoder(self, data: Mapping[str, Any], arms: Mapping[str, Any]) -> Encoder | None:
        declared = {key: data[key] for key in ENCODER_KEYS if key in data}
        if not declared:
            return None
        has_terms = "cross" in declared or "per_action" in declared
        if arms and not has_terms and "context" in declared:
            # A context moves all arms alike unless each has coefficients of its own.
            context = self.table(data, (), "context")
            terms = ["context.always", *(f"context.{name}" for name in context)]
            always = {"always": {"kind": "constant", "alone": False}}
            apart = {
                name: each | {"alone": False} if isinstance(each, dict) else each
                for name, each in context.items()
            }
            declared |= {"context": always | apart, "per_action": {"terms": terms}}
        if arms and isinstance(declared.get("per_action"), dict):
            declared["per_action"] = {"names": list(arms)} | declared["per_action"]
        try:
            encoder = encoder_in(self._text, declared)
            if arms and not any(path.startswith("context.") for path in encoder.declaration.fields):
                encoder.rows({}, arms)  # the features of arms are there, and fit
        except (TypeError, ValueError) as error:
            raise ProblemError(str(error)) from None
        return encoder

    def _dimension(
        self, data: Mapping[str, Any], arms: Mapping[str, Any], encoder: Encoder | None
    ) -> int:
        if encoder is not None:
            return encoder.dimension
        if arms:
            return len(arms)
        actions = self.table(data, (), "actions")
        self.require_keys(actions, ("actions",), ["dimension"])
        if "dimension" not in actions:
            self.refuse(
                ("actions",), "there must be a dimension, or fields of actions as [action.NAME]"
            )
        return self.integer(actions, "dimension", 1, place=("actions",))

    def _policy(
        self, data: Mapping[str, Any], dimension: int, inside: tuple[str | int, ...] = ()
    ) -> Any:
        table, place = self.table(data, inside, "policy"), (*inside, "policy")
        name = self.text(table, place, "name", "AdaptiveUCB")
        try:
            cls = find_policy(name)
        except ValueError as error:
            self.refuse((*place, "name"), error)
        given = {key: value for key, value in table.items() if key != "name"}
        known = inspect.signature(cls).parameters
        tuned = getattr(cls, "tuned", cls)
        every = {**known, **inspect.signature(tuned).parameters}
        self.require_keys(table, place, ["name", *every])
        is_complete = all(key in known for key in given) and all(
            key in given or each.default is not each.empty for key, each in known.items()
        )
        facts = (
            {"dimension": dimension} if "dimension" in inspect.signature(tuned).parameters else {}
        )
        try:
            return cls(**given) if is_complete else tuned(**(facts | given))
        except (TypeError, ValueError) as error:
            where = error.parameter if isinstance(error, RuleError) else ""
            self.refuse((*place, where) if where in table else place, error)
