"""One call of a policy at a time, compiled: what an agent does between Python and the rules."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Matrix, Vector
from ..base.validation import LARGEST_ACTION
from ..compiler.borrowing import borrowed
from ..compiler.compiled import compiled, inlined, version_for
from ..contract.policy import Policy
from ..contract.rows import is_row
from ..randomness import draws

__all__ = ["NO_FAULT", "NO_NUMBERS", "NO_SUCH_ARM", "TOO_LONG", "Calls"]

NO_FAULT, TOO_LONG, NO_NUMBERS, NO_SUCH_ARM = 0, 1, 2, 3  # of actions, and of the choice
_FLOAT = np.dtype(np.float64)


class Calls:
    """A policy and its memory, which stay the same, and the calls that an agent makes with them.

    In every call the compiler's dispatcher looks at every field of every tuple to find the version
    that was compiled for such types, which takes three times as long as the work. Here that version
    is found once and called without the dispatcher. Then nobody looks: what has another type would
    be taken for what it is not. So arrays are brought to one type, and a record whose types differ
    from those of the last one is looked at by the dispatcher.
    """

    __slots__ = ("_choose", "_is_interpreted", "_learn", "memory", "policy")

    def __init__(self, policy: Policy, memory: Any, is_interpreted: bool) -> None:
        self.policy, self.memory, self._is_interpreted = policy, memory, is_interpreted
        self._choose: Any = None  # the version in use
        self._learn: tuple[Any, Any] = (None, None)  # the form of a record, and the version for it

    def __reduce__(self) -> tuple[type[Calls], tuple[Policy, Any, bool]]:
        # A compiled version belongs to its process; in another one it is found again.
        return Calls, (self.policy, self.memory, self._is_interpreted)

    def restart(self, seed: int) -> None:
        """Write the state in which nothing has been learnt."""
        self._run(restart)(self.policy, self.memory, seed)

    def choose(
        self, actions: Matrix, is_known: bool, seed: int, n_choices: int, longest: float
    ) -> Any:
        """Return what is wrong with (K, d) actions or choice, the luck of the round, the choice.

        Nobody looks at actions that are known: one array for all rounds, which was checked before.
        """
        rows = actions if is_known else _plain(actions, 2)
        arguments = (
            self.policy, self.memory, rows, is_known, seed, n_choices, LARGEST_ACTION, longest,
        )  # fmt: skip
        if self._choose is None:
            self._choose = version_for(self._run(choose), arguments)
        return self._choose(*arguments)

    def learn(self, action: Vector, record: Any, reward: float, luck: int) -> bool:
        """Learn from the (d,) action and the policy's own record; return whether they are sound."""
        plain = _plain(action, 1)
        arguments = self.policy, self.memory, plain, record, reward, luck, LARGEST_ACTION
        form, version = self._learn  # at once: a second thread must not come between the two
        if not _has_form(record, form):
            version = version_for(self._run(learn), arguments)
            self._learn = _form_of(record), version
        return version(*arguments)  # type: ignore[no-any-return]  # compiled

    def _run(self, function: Any) -> Any:
        return getattr(function, "py_func", function) if self._is_interpreted else function


class _Form(NamedTuple):
    """The classes in a record: where they are the same, so is the compiled type."""

    kind: type[Any]
    kinds: tuple[type[Any], ...]  # of the items
    inside: tuple[tuple[int, _Form], ...]  # of items that are tuples, by their index


def _plain(array: Matrix | Vector, n_axes: int) -> Any:
    """Return an array as the one type that is compiled for: in C order, aligned and writable."""
    if array.flags.carray and array.dtype == _FLOAT and array.ndim == n_axes:
        return array
    plain = np.array(array, dtype=_FLOAT, order="C")
    if plain.ndim != n_axes:
        raise ValueError(f"array must have {n_axes} axes, got {plain.ndim}")
    return plain


def _form_of(record: Any) -> _Form | None:
    """Return the form of a tuple of tuples and numbers; of others, None, which nothing has."""
    inside = []
    for index, item in enumerate(record):
        form = _form_of(item) if isinstance(item, tuple) else None
        if form is not None:
            inside.append((index, form))
        elif type(item) not in (int, float, bool):
            return None
    return _Form(type(record), tuple(map(type, record)), tuple(inside))


def _has_form(record: Any, form: _Form | None) -> bool:
    if form is None:
        return False
    kind, kinds, inside = form
    if type(record) is not kind or tuple(map(type, record)) != kinds:
        return False
    return not inside or all(_has_form(record[index], each) for index, each in inside)


@compiled
def restart(policy: Any, memory: Any, seed: int) -> None:
    """Write the state in which nothing has been learnt."""
    borrowed(policy).restart(borrowed(memory), draws.fork(seed, -1))


@compiled
def choose(
    policy: Any, memory: Any, actions: Matrix, is_known: bool, seed: int, n_choices: int,
    largest: float, longest: float,
) -> Any:  # fmt: skip
    """Return what is wrong with the actions or the choice, the luck of the round, the choice."""
    actions = borrowed(actions)
    fault = NO_FAULT if is_known else fault_of(actions, largest, longest)
    luck = draws.fork(seed, n_choices)
    choice = borrowed(policy).choose(borrowed(memory), actions, luck)
    if fault != NO_NUMBERS and not is_row(choice.arm, actions.shape[0]):
        fault = NO_SUCH_ARM
    return fault, luck, choice


@inlined
def fault_of(actions: Matrix, largest: float, longest: float) -> int:
    """Return whether all actions are numbers up to ``largest``, and none is longer than said."""
    fault = NO_FAULT
    for k in range(actions.shape[0]):
        square = 0.0
        for i in range(actions.shape[1]):
            x = actions[k, i]
            if not abs(x) <= largest:  # true for nan, too
                return NO_NUMBERS
            square += x * x
        if square > longest * longest:
            fault = TOO_LONG
    return fault


@compiled
def learn(
    policy: Any, memory: Any, action: Vector, choice: Any, reward: float, luck: int, largest: float
) -> bool:
    """Learn from a sound decision; return whether it is one."""
    action = borrowed(action)
    # A propensity of nan is one that is not known.
    is_valid = not (choice.propensity <= 0.0 or choice.propensity > 1.0)
    for i in range(action.size):
        is_valid = is_valid and abs(action[i]) <= largest
    if is_valid:
        borrowed(policy).learn(borrowed(memory), action, choice, reward, draws.fork(luck))
    return is_valid
