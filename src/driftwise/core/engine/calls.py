"""One call of a policy at a time, compiled: what an agent does between Python and the rules."""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Matrix, Vector
from ..base.validation import LARGEST_ACTION
from ..compiler.background import is_never, version_soon
from ..compiler.borrowing import borrowed
from ..compiler.compiled import compiled, inlined
from ..compiler.kept import is_kept
from ..contract import optional
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

    __slots__ = (
        "_choose", "_is_interpreted", "_is_waiting", "_learn", "_rare", "_wanted", "memory", "policy",
    )  # fmt: skip

    def __init__(self, policy: Policy, memory: Any, is_interpreted: bool) -> None:
        self.policy, self.memory = policy, memory
        self._wanted = is_interpreted  # what another process is told
        self._is_interpreted = is_interpreted or is_never()
        self._is_waiting = False  # for the compiler; otherwise it works in the background
        self._choose: Any = None  # the version in use
        self._learn: tuple[Any, Any] = (None, None)  # the form of a record, and the version for it
        self._rare: dict[Any, tuple[Any, Any]] = {}  # the same of what only late rewards need

    def __reduce__(self) -> tuple[type[Calls], tuple[Policy, Any, bool]]:
        # A compiled version belongs to its process; in another one it is found again.
        return Calls, (self.policy, self.memory, self._wanted)

    def restart(self, seed: int) -> None:
        """Write the state in which nothing has been learnt."""
        arguments = self.policy, self.memory, seed
        self._version(restart, arguments)[0](*arguments)

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
        version = self._choose
        if version is None:
            version, is_final = self._version(choose, arguments)
            if not is_final or self._is_interpreted:
                # Compiled rules go through anything; interpreted ones would divide by zero.
                if not is_known and fault_of(rows, LARGEST_ACTION, longest) == NO_NUMBERS:
                    return NO_NUMBERS, 0, None
                return self._interpreted(rows, *version(*arguments))
            self._choose = version
        return version(*arguments)

    def _interpreted(self, rows: Matrix, fault: int, luck: int, choice: Any) -> Any:
        """Return what a version that is not compiled chose, as if it were; have `learn` compiled."""
        choice = _in_python(choice)
        if fault == NO_FAULT:
            action = rows[choice.arm].copy()
            lesson = self.policy, self.memory, action, choice, 0.0, luck, LARGEST_ACTION, False
            self._version(learn, lesson)
        return fault, luck, choice

    def expect(self, action: Vector, record: Any, luck: int, offer: Matrix | None) -> bool:
        """Tell the policy that a choice is due while this decision has no reward; return whether it is.

        It is not if the offer to choose from is no numbers; None is one that was checked before.
        """
        plain = _plain(action, 1)
        rows = plain[np.newaxis] if offer is None else _plain(offer, 2)
        arguments = self.policy, self.memory, plain, record, luck, LARGEST_ACTION, rows
        return self._found(expect, record, arguments)(*arguments)  # type: ignore[no-any-return]  # compiled

    def settle(self, action: Vector, record: Any, luck: int) -> bool:
        """Tell the policy that a decision is in flight no longer; return whether it is sound."""
        plain = _plain(action, 1)
        arguments = self.policy, self.memory, plain, record, luck, LARGEST_ACTION
        return self._found(settle, record, arguments)(*arguments)  # type: ignore[no-any-return]  # compiled

    def learn(
        self, action: Vector, record: Any, reward: float, luck: int, *, was_expected: bool
    ) -> bool:
        """Learn from the (d,) action and the policy's own record; return whether they are sound.

        A policy that was told to expect the reward is first told that it has come.
        """
        plain = _plain(action, 1)
        arguments = (
            self.policy, self.memory, plain, record, reward, luck, LARGEST_ACTION, was_expected,
        )  # fmt: skip
        form, version = self._learn  # at once: a second thread must not come between the two
        if not _has_form(record, form):
            version, is_final = self._version(learn, arguments)
            self._learn = _form_of(record) if is_final else None, version
        return version(*arguments)  # type: ignore[no-any-return]  # compiled

    def chances(self, actions: Matrix, luck: int) -> Vector:
        """Return the probability of every row in a round of this luck, of a policy that tells them."""
        arguments = self.policy, self.memory, _plain(actions, 2), luck, np.zeros(len(actions))
        self._version(chances, arguments)[0](*arguments)
        return arguments[-1]

    def _found(self, function: Any, record: Any, arguments: tuple[Any, ...]) -> Any:
        form, version = self._rare.get(function, (None, None))
        if not _has_form(record, form):
            version, is_final = self._version(function, arguments)
            self._rare[function] = _form_of(record) if is_final else None, version
        return version

    def warm_up(self, rows: Matrix, is_known: bool) -> None:
        """Compile now whatever is called with such rows; the memory stays as it is."""
        twin = copy.deepcopy(self)
        twin._is_waiting = True
        twin.restart(0)
        _, luck, choice = twin.choose(rows, is_known, 0, 0, math.inf)
        action = rows[choice.arm]
        twin.expect(action, choice, luck, rows)
        twin.settle(action, choice, luck)
        twin.learn(action, choice, 0.0, luck, was_expected=False)

    def is_kept(self, rows: Matrix, is_known: bool) -> bool:
        """Return whether `choose` is on disk, compiled for such rows."""
        numbers = 0, 0, LARGEST_ACTION, math.inf
        return is_kept(choose, (self.policy, self.memory, rows, is_known, *numbers))

    def _version(self, function: Any, arguments: tuple[Any, ...]) -> tuple[Any, bool]:
        """Return what to call, and whether that is final: what is not compiled yet will be."""
        if self._is_interpreted:
            return getattr(function, "py_func", function), True
        return version_soon(function, arguments, is_waiting=self._is_waiting)


class _Form(NamedTuple):
    """The classes in a record: where they are the same, so is the compiled type."""

    kind: type[Any]
    kinds: tuple[type[Any], ...]  # of the items
    inside: tuple[tuple[int, _Form], ...]  # of items that are tuples, by their index


def _in_python(record: Any) -> Any:
    """Return a record with Python's numbers: rules that read arrays return those of NumPy."""
    if isinstance(record, tuple):
        items = [_in_python(item) for item in record]
        return type(record)(*items) if hasattr(record, "_fields") else tuple(items)
    return record.item() if isinstance(record, np.generic) else record


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


@compiled
def chances(policy: Any, memory: Any, actions: Matrix, luck: int, out: Vector) -> None:
    """Write the probability of every row in a round of this luck."""
    borrowed(policy).chances_in(borrowed(memory), borrowed(actions), luck, borrowed(out))


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
def expect(
    policy: Any, memory: Any, action: Vector, choice: Any, luck: int, largest: float, offer: Matrix
) -> bool:
    """Tell of a sound decision without a reward, if there are numbers to choose from next."""
    action, is_due = borrowed(action), fault_of(borrowed(offer), largest, 0.0) != NO_NUMBERS
    if is_due and is_sound(action, choice, largest):
        optional.expect(borrowed(policy), borrowed(memory), action, choice, draws.fork(luck))
    return is_due


@compiled
def settle(
    policy: Any, memory: Any, action: Vector, choice: Any, luck: int, largest: float
) -> bool:
    """Tell that a sound decision is in flight no longer; return whether it is one."""
    action = borrowed(action)
    if not is_sound(action, choice, largest):
        return False
    optional.settle(borrowed(policy), borrowed(memory), action, choice, draws.fork(luck))
    return True


@compiled
def learn(
    policy: Any, memory: Any, action: Vector, choice: Any, reward: float, luck: int,
    largest: float, was_expected: bool,
) -> bool:  # fmt: skip
    """Learn from a sound decision; return whether it is one."""
    policy, memory, action = borrowed(policy), borrowed(memory), borrowed(action)
    if not is_sound(action, choice, largest):
        return False
    if was_expected:
        optional.settle(policy, memory, action, choice, draws.fork(luck))
    policy.learn(memory, action, choice, reward, draws.fork(luck))
    return True


@inlined
def is_sound(action: Vector, choice: Any, largest: float) -> bool:
    """Return whether a decision has numbers up to ``largest`` and a propensity."""
    # A propensity of nan is one that is not known.
    is_valid = not (choice.propensity <= 0.0 or choice.propensity > 1.0)
    for i in range(action.size):
        is_valid = is_valid and abs(action[i]) <= largest
    return is_valid
