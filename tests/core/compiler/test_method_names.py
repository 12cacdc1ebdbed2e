"""A class has its methods and fields for itself, whatever others call theirs."""

import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

import driftwise as dw
from driftwise.checks import check_policy
from driftwise.core.base.card import Card, described
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
from driftwise.core.models.arms.arms import arm_memory


@compilable
class Line(NamedTuple):
    """Has rules whose names are those of rules and fields of the package, with other arguments."""

    slope: float

    def predict(self, x: float, shift: float = 0.0) -> float:
        return self.slope * x + shift

    def restart(self) -> float:
        return self.slope

    def arm(self) -> float:
        return 2.0 * self.slope

    def clear(self, factor: float) -> float:
        return self.arm() * factor


@compilable
class Fields(NamedTuple):
    """Has fields with the names of rules of the package."""

    restart: float
    predict: int
    learn: Line  # with a rule and a field of one name, in two classes

    def choose(self, predict: int) -> float:
        return self.predict + self.restart + self.learn.restart() + predict


@compilable
class Twin(Line):
    """Takes the place of one inherited rule."""

    __slots__ = ()

    def arm(self) -> float:
        return 3.0 * self.slope


@njit  # type: ignore[untyped-decorator]  # numba has no types
def use(line: Any, fields: Any) -> Any:
    return (
        line.predict(3.0), line.predict(3.0, shift=1.0), line.predict(x=1.0), line.restart(),
        line.clear(factor=0.5), fields.choose(7), fields.restart, fields.learn.arm(),
    )  # fmt: skip


def used(line: Line) -> tuple[float, ...]:
    fields = Fields(0.25, 4, Line(0.5))
    result: tuple[float, ...] = use(line, fields)
    assert result == use.py_func(line, fields)
    return result


def test_names_of_a_class_are_its_own() -> None:
    assert used(Line(2.0)) == (6.0, 7.0, 2.0, 2.0, 2.0, 11.75, 0.25, 1.0)


def test_a_rule_is_that_of_the_class_and_not_of_its_base() -> None:
    assert used(Twin(2.0)) == (6.0, 7.0, 2.0, 2.0, 3.0, 11.75, 0.25, 1.0)


@pytest.mark.parametrize("is_agent", [False, True])
def test_classes_of_one_name_do_not_share_rules(is_agent: bool) -> None:
    """As when a policy is edited in a notebook; Numba itself takes them for one class."""

    def reward_of(arm: int) -> float:
        @compilable
        class Same(Odd):
            def arm(self, choose: Any) -> int:
                return arm

        if is_agent:
            return float(dw.Agent(Same(), n_arms=2).choose().arm)
        world = dw.worlds.Stationary(horizon=1, parameter=[0.0, 1.0], noise=0.0)
        return dw.simulate(Same(), world).total_reward

    assert [reward_of(0), reward_of(1)] == [0.0, 1.0]


def test_a_field_that_covers_a_rule_of_its_base_is_a_field() -> None:
    """Python looks in the class first, and so does the compiler."""

    class Covered(Line):
        arm = property(lambda self: 1.0)

    with pytest.raises(Exception, match=r"Unknown attribute 'arm'"):
        njit(lambda line: line.arm())(compilable(Covered)(1.0))


@described(Card(source="a test", plays="arms"))
@compilable
class Odd(NamedTuple):
    """A policy with a memory whose fields are called like rules, and rules like fields of ours."""

    counts: float = 1.0

    def start(self, n_arms: int, dimension: int, fixed: Any) -> Any:
        return OddMemory(np.zeros(n_arms), arm_memory(n_arms))

    def restart(self, memory: Any, luck: int) -> None:
        memory.learn[:] = 0.0

    def choose(self, memory: Any, actions: Any, luck: int) -> Choice:
        return Choice(self.arm(memory.learn), 1.0, 0.0)

    def arm(self, choose: Any) -> int:
        best = 0
        for k in range(choose.size):
            if choose[k] < choose[best]:
                best = k
        return best

    def learn(self, memory: Any, action: Any, choice: Any, reward: float, luck: int) -> None:
        memory.learn[choice.arm] += self.counts


class OddMemory(NamedTuple):
    learn: Any
    predict: Any


def test_a_policy_may_use_any_names() -> None:
    check_policy(Odd())


BEFORE = """
from typing import NamedTuple
from driftwise.core.compiler.compiled import compilable

@compilable
class Mine(NamedTuple):
    estimate: float
    optimistic: float

    def predict(self, x):
        return self.estimate * x

    def pivots(self):
        return self.optimistic

from numba import njit
from driftwise.registry import all_policies

assert len(all_policies()) > 20
print(njit(lambda mine: mine.predict(2.0) + mine.pivots())(Mine(3.0, 1.0)))
"""


def test_a_class_that_came_first_takes_no_name_from_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BEFORE], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "7.0\n", done.stderr


def test_the_package_works_with_such_classes_around() -> None:
    run = dw.simulate(dw.Exp3(mixing=0.2), dw.worlds.Stationary(horizon=9, parameter=[0.2, 0.8]))
    assert run.regret.size > 0
