"""The rules that keep interpreter and compiler together."""

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

import driftwise as dw
from driftwise.checks import check_policy
from driftwise.core.base.arrays import Matrix
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine import simulate

POLICY = dw.SlidingWindowUCB(window=30, noise=0.1)


@compilable
class Cautious(dw.SlidingWindowUCB):
    """Takes over all but one rule of another policy."""

    __slots__ = ()

    def choose(self, memory: Any, actions: Matrix, luck: int) -> Choice:
        arm, value, ties = memory.regression.optimistic(actions, 0.0, luck)
        return Choice(arm, 1.0 / ties, value)


def test_a_class_without_fields_is_told_what_to_do() -> None:
    """The compiler itself says "invalid number of args", and nothing else."""
    with pytest.raises(TypeError, match=r"Bare must have at least one field.*`unused: int = 0`"):

        @compilable
        class Bare(NamedTuple):
            pass

    class Empty(NamedTuple):
        pass

    class Forgotten(Empty):  # to decorate, too
        __slots__ = ()
        restart, choose, learn = dw.Uniform.restart, dw.Uniform.choose, dw.Uniform.learn

        def start(self, n_arms: int, dimension: int, fixed: Any) -> Any:
            return dw.Uniform().start(n_arms, dimension, fixed)

    world = dw.worlds.Stationary(horizon=20, parameter=[0.2, 0.8])
    with pytest.raises(TypeError, match="Forgotten must have at least one field"):
        dw.simulate(Forgotten(), world)


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        (dw.GLRUCB(0.1, 0.1), "is_growing"),
        (dw.LinUCB(noise=0.1), "is_determinant"),
        (dw.Corral.tuned(horizon=100, noise=0.1), "is_weighted"),
    ],
)
def test_a_setting_that_is_on_or_off_is_a_bool(policy: Any, name: str) -> None:
    for value in (True, np.False_):
        assert getattr(policy._replace(**{name: value}), name) is bool(value)
    for odd in (1, 0, "yes", None):
        with pytest.raises(TypeError, match=f"^{name} must be True or False, got {odd!r}$"):
            policy._replace(**{name: odd})


def test_settings_are_checked_wherever_python_makes_them() -> None:
    for make in (
        lambda: dw.SlidingWindowUCB(0, 0.1),
        lambda: dw.SlidingWindowUCB(window=0, noise=0.1),
        lambda: POLICY._replace(window=0),
        lambda: dw.SlidingWindowUCB._make([0, 0.1, 1.0, 1.0, 1.0, 0.1]),
        lambda: pickle.loads(pickle.dumps(POLICY).replace(b"K\x1e", b"K\x00")),
    ):
        with pytest.raises(ValueError, match="window must be at least 1 round, got 0"):
            make()


def test_settings_have_one_type_however_they_were_given() -> None:
    policy = dw.SlidingWindowUCB(window=np.int32(30), noise=np.float32(0.5), ridge=2)  # type: ignore[arg-type]
    assert [type(value) for value in policy] == [int] + 5 * [float]


def test_policies_are_compared_by_class_and_values() -> None:
    bob = dw.BanditOverBandit.tuned(horizon=1000, dimension=2, noise=0.1)
    same = dw.BanditOverBandit.tuned(horizon=1000, dimension=2, noise=0.1)
    other = dw.BanditOverBandit.tuned(horizon=2000, dimension=2, noise=0.1)
    assert bob == same
    assert hash(bob) == hash(same)
    assert bob != other
    assert bob == pickle.loads(pickle.dumps(bob))
    assert tuple(POLICY) != POLICY
    assert len({bob, same, other, POLICY}) == 3


def test_a_class_may_inherit_the_rules_and_the_checks_of_another() -> None:
    policy = Cautious(30, noise=0.1)
    assert policy == Cautious(30, noise=0.1) != Cautious(31, noise=0.1)
    assert policy != POLICY
    assert policy != POLICY
    with pytest.raises(ValueError, match="window must be at least 1 round, got 0"):
        Cautious(0, noise=0.1)
    world = dw.worlds.Sinusoid(horizon=300, variation=1.0)
    assert dw.simulate(policy, world).regret[-1] != dw.simulate(POLICY, world).regret[-1]
    check_policy(policy, is_thorough=False)


def test_a_class_may_add_a_check_to_the_fields_of_another() -> None:
    class Plain(NamedTuple):
        only_of_plain: int

    @compilable
    class Checked(Plain):
        __slots__ = ()

        def _check(self) -> None:
            if self.only_of_plain < 1:
                raise ValueError("too small")

    assert type(Checked(np.int32(3)).only_of_plain) is int  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ValueError, match="too small"):
        Checked(0)


def test_a_policy_cannot_be_changed_through_its_settings() -> None:
    windows = np.array([1, 2, 4])
    bob = dw.BanditOverBandit(POLICY, windows, 4, 0.5, 10.0)
    windows[0] = 99
    assert bob.settings.tolist() == [1, 2, 4]
    with pytest.raises(ValueError, match="read-only"):
        bob.settings[0] = 99


def test_one_compiled_version_serves_all_settings() -> None:
    world = dw.worlds.Stationary(horizon=20, parameter=[0.2, 0.8, 0.5])
    dw.simulate(POLICY, world)
    before = len(simulate.loop.signatures)  # type: ignore[attr-defined]
    dw.simulate(POLICY._replace(window=7, noise=0), world, seed=2**70)
    larger = dw.worlds.Stationary(horizon=20, parameter=np.full(5, 0.1))
    dw.simulate(POLICY, larger)
    assert len(simulate.loop.signatures) == before  # type: ignore[attr-defined]


def test_the_loop_counts_no_references() -> None:
    """Counting references in the loop made it five times slower; see core/compiler/borrowing.py."""
    fresh = njit(simulate.loop.py_func, error_model="numpy")  # type: ignore[attr-defined]
    memory = POLICY.start(2, 2, np.eye(2))
    rounds = Rounds(np.eye(2)[None], np.full(1, 2), np.zeros((9, 2)), np.zeros((9, 2)))
    fresh(POLICY, memory, rounds, 1, 0, np.array([9]), np.zeros(1), np.zeros(2))
    (code,) = fresh.inspect_llvm().values()
    body = code.split("\ndefine ")[1]
    assert "call void @NRT_incref" not in body
    assert "call void @NRT_decref" not in body
