"""What an agent decided in one round, ready to be stored until the reward comes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Vector
from ..base.settings import hints_of, normalised
from ..base.showing import html_of
from ..base.validation import require_actions, require_fraction, require_integer
from .fingerprint import difference, require_fingerprint, settings_in
from .offers import Offers
from .policy import Choice, Policy
from .records import from_plain, require_shallow, to_plain

__all__ = ["Decision", "Forgotten", "require_forgotten", "require_sound"]

_FLOAT = np.dtype(np.float64)


class Forgotten(NamedTuple):
    """A named action that was forgotten between two decisions."""

    name: str
    place: int  # that it had
    n_rewards: int  # that had come since the decision before


class Decision(NamedTuple):
    """All that `Agent.learn` needs, whenever the reward comes; ready for a log or a database."""

    arm: int  # row of the decision set
    action: Vector  # (d,), that row
    propensity: float  # probability of this row
    value: float  # the score that won; nan where there is none
    luck: int  # what the policy drew from
    choice: Any  # the policy's own record
    policy: str  # fingerprint of the policy that decided
    name: str | None = None  # of the action, where actions have names
    place: tuple[int, int] | None = None  # of its own coefficients, and how many had it before
    forgotten: tuple[Forgotten, ...] = ()  # since the decision before

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and self._key() == other._key()

    def __ne__(self, other: object) -> bool:  # a tuple brings its own
        return not self == other

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        """Return what two decisions have in common if they are the same, nan included."""
        action = np.asarray(self.action)
        made = repr(self.choice), self.luck, self.policy, self.name, self.place, self.forgotten
        return action.shape, action.tobytes(), *made

    def __repr__(self) -> str:
        return f"Decision({', '.join(f'{name}={text}' for name, text in self._facts())})"

    def _repr_html_(self) -> str:
        return html_of("Decision", self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        """Return what is shown: not the settings of its policy, and of a long action the ends."""
        action = np.array2string(
            np.asarray(self.action), precision=6, separator=", ", threshold=8, edgeitems=3
        )
        made_by = re.match(r'\{"class":"([^"]+)"', str(self.policy))
        return [
            *([] if self.name is None else [("name", f"{self.name!r}")]),
            ("arm", f"{self.arm!r}"),
            ("action", " ".join(action.split())),
            ("propensity", f"{self.propensity!r}"),
            ("value", f"{self.value!r}"),
            ("luck", f"{self.luck!r}"),
            ("policy", made_by[1] if made_by else f"{self.policy!r}"),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the decision as JSON-ready data."""
        data = {
            "policy": settings_in(self.policy),
            "luck": self.luck,
            "action": self.action.tolist(),
            "choice": to_plain(self.choice),
        }
        if self.name is not None:
            data["name"] = self.name
        if self.place is not None:
            data["place"] = list(self.place)
        if self.forgotten:
            data["forgotten"] = [list(each) for each in self.forgotten]
        return data

    def as_event(self) -> dict[str, Any]:
        """Return what a log keeps of the decision, JSON-ready: see `driftwise.Log` for the fields.

        Add what was offered and, when it comes, the reward.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=1, is_interpreted=True)
        >>> event = agent.choose().as_event() | {"event_id": "a", "reward": 0.5}
        >>> list(event)
        ['action', 'propensity', 'policy', 'luck', 'choice', 'event_id', 'reward']
        >>> agent.replayed(dw.Log([event])).estimate
        array([0.25])
        """
        data = {
            "action": self.arm,
            "propensity": self.propensity,
            "policy": settings_in(self.policy),
            "luck": self.luck,
            "choice": to_plain(self.choice),
        }
        if math.isnan(self.propensity):
            del data["propensity"]
        if self.forgotten:
            data["forgotten"] = {each.name: each.n_rewards for each in self.forgotten}
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Decision:
        """Return the decision that `as_dict` was called on, or say what is wrong with the data."""
        require_shallow("decision", data)
        if not isinstance(data, dict) or not data.keys() >= {"policy", "luck", "action", "choice"}:
            raise ValueError(f"decision must have policy, luck, action and choice, got {data!r}")
        return cls.from_parts(
            policy=data["policy"],
            luck=data["luck"],
            action=data["action"],
            choice=from_plain(data["choice"]),
            name=data.get("name"),
            place=data.get("place"),
            forgotten=data.get("forgotten", ()),
        )

    @classmethod
    def from_parts(
        cls,
        *,
        policy: Policy | str | dict[str, Any],
        luck: int,
        action: ArrayLike,
        arm: int | None = None,
        propensity: float | None = None,
        value: float | None = None,
        choice: Any = None,
        name: str | None = None,
        place: Sequence[int] | None = None,
        forgotten: Sequence[Sequence[Any]] = (),
    ) -> Decision:
        """Return a decision made of what was stored of one, or say which part is wrong.

        Parameters
        ----------
        policy
            The ``policy`` of the decision, as it is there or in `as_dict`; or that of the agent.
        luck
            What the policy drew from.
        action
            The row that was played.
        arm, propensity, value
            Of policies whose record of a choice holds no more, which are most; None if unknown.
        choice
            Otherwise the ``choice`` of the decision, instead of these three.
        name, place, forgotten
            Of decisions that have them, as they are there or in `as_dict`.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.UCB1(), n_arms=2)
        >>> made = agent.choose()
        >>> again = dw.Decision.from_parts(
        ...     policy=made.policy, luck=made.luck, action=made.action, arm=made.arm
        ... )
        >>> agent.learn(again, reward=1.0)
        """
        if (arm is None) == (choice is None):
            raise TypeError("exactly one of arm and choice must be given")
        if choice is None:
            scores = [math.nan if score is None else score for score in (propensity, value)]
            choice = Choice(arm, *scores)  # type: ignore[arg-type]  # one of the two is given
        if getattr(choice, "_fields", ())[:3] != Choice._fields:
            raise ValueError(f"choice must begin with {Choice._fields}, got {choice!r}")
        choice = _checked("choice", choice, "")
        require_integer("arm", choice.arm, at_least=0)
        if not math.isnan(choice.propensity):
            require_fraction("propensity", choice.propensity, inclusive=True)
        action = require_actions("action", action, shape=(None,))
        made_by, luck = require_fingerprint(policy), _require_luck(luck)
        scored = choice.arm, action, choice.propensity, choice.value
        named = *_require_place(name, place), require_forgotten(forgotten)
        return cls(*scored, luck, choice, made_by, *named)


def require_sound(decision: Decision, policy: Policy, own: str, offers: Offers) -> None:
    """Refuse a decision that the compiled rules of a policy, which check nothing, could not handle.

    ``own`` is the policy's fingerprint.
    """
    if not isinstance(decision, Decision):
        raise TypeError(f"decision must come from an agent with this policy, got {decision!r}")
    if decision.policy != own:
        differs = difference(decision.policy, policy)
        if differs:
            raise TypeError(f"decision must come from an agent with this policy: {differs}")
    n_arms, dimension = offers.shape
    arm, action, _, _, luck, choice, *_ = decision
    if not isinstance(action, np.ndarray) or action.dtype != _FLOAT:
        raise TypeError(f"decision must have an array of floats as action, got {action!r}")
    if action.shape != (dimension,) or not 0 <= choice.arm < (n_arms or 2**62):
        raise ValueError(
            f"decision must be among {n_arms or 'any number of'} arms in {dimension} "
            f"dimensions, got arm {choice.arm} in {action.size} dimensions"
        )
    accepts = getattr(policy, "accepts", None)
    if choice.arm != arm or (accepts is not None and not accepts(choice)):
        raise ValueError(f"decision must be unchanged since `choose` returned it, got {decision!r}")
    if not offers.is_row(action, arm):
        require_actions("action", action, shape=(dimension,))
        raise ValueError(
            f"decision must have row {arm} of the decision set as action, got {action!r}"
        )
    _require_luck(luck)


def _require_luck(luck: Any) -> int:
    if type(luck) is not int or not 0 <= luck < 2**63:
        raise ValueError(f"luck must be an integer in [0, 2**63), got {luck!r}")
    return luck


def _require_place(name: Any, place: Any) -> tuple[str | None, tuple[int, int] | None]:
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string, got {name!r}")
    if place is None:
        return name, None
    is_place = isinstance(place, list | tuple) and len(place) == 2
    if not is_place or not all(type(each) is int and each >= 0 for each in place):
        raise ValueError(f"place must be two integers of at least 0, got {place!r}")
    return name, (place[0], place[1])


def require_forgotten(forgotten: Any) -> tuple[Forgotten, ...]:
    """Return who was forgotten as a decision has it, or say what is wrong with that."""
    try:
        told = tuple(Forgotten(*each) for each in forgotten)
    except TypeError:
        told = (Forgotten("", -1, -1),)
    if all(
        isinstance(each.name, str) and all(type(n) is int and n >= 0 for n in each[1:])
        for each in told
    ):
        return told
    rule = "forgotten must hold a name and two integers of at least 0 for each"
    raise ValueError(f"{rule}, got {forgotten!r}")


def _checked(name: str, value: Any, hint: str) -> Any:
    """Return a choice, and those inside it, with the types that its class says."""
    if hint == "float" and isinstance(value, float):
        return value  # of any size, or nan: a policy's own
    if hint in ("int", "float", "bool"):
        return normalised(name, value, hint)
    if type(value) is tuple:
        return tuple(_checked(name, item, "") for item in value)
    if isinstance(value, tuple):
        hints, pairs = hints_of(type(value)), value._asdict().items()  # type: ignore[attr-defined]  # a named one
        return type(value)(**{key: _checked(key, item, hints.get(key, "")) for key, item in pairs})
    return value
