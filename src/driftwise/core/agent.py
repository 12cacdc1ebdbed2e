"""A policy at work: choose now, learn when the reward comes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .agent_file import AgentFile, write_agent
from .calls import Calls
from .decision import Decision, require_sound
from .explaining import explained
from .limits import MOST
from .protocols import Matrix, Policy, Vector
from .records import fingerprint, from_plain, to_plain
from .rows import no_such_arm
from .seeds import luck_of
from .starting import started
from .unit_ball import UnitBall
from .validation import (
    LARGEST_REWARD,
    floats_in,
    require_actions,
    require_flag,
    require_fraction,
    require_integer,
    require_number,
)

__all__ = ["Agent"]


class Agent:
    """A policy, its memory and its luck: what a program holds to make decisions.

    An agent serves one thread at a time: guard it with a lock where several share it.

    Parameters
    ----------
    policy
        How to choose and how to learn. If nothing is known about the drift, take `AdaptiveUCB`: it
        must be told neither horizon, noise nor variation; rewards should be of size about 1, or its
        ``parameter_norm`` be given. It has no proof, only measurements (docs/scoreboard.md);
        `SlidingWindowUCB`, and `BanditOverBandit` where the variation is unknown, are the choices
        with guarantees.
    dimension
        Length of an action, for decision sets that may differ in every round; policies that play
        arms, such as `UCB1`, need one of the two below.
    n_arms
        Number of arms, for a plain bandit without features.
    decision_set
        The (K, d) decision set, if it is the same in every round: faster, and `choose` needs no
        argument. Or a `UnitBall`, of which any point may be played.
    seed
        The agent's luck. With the same seed `driftwise.simulate` plays the same arms in a world
        of the same kind of decision sets, fixed or not: ties may fall differently between kinds.
    is_interpreted
        Whether to run the policy's rules in Python: slow, but open to a debugger. The decisions
        are the same.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.AdaptiveUCB(), dimension=2, seed=0)
    >>> decision = agent.choose([[1.0, 0.0], [0.0, 2.0]])
    >>> decision.arm, decision.action, decision.propensity
    (1, array([0., 2.]), 1.0)
    >>> agent.learn(decision, reward=0.3)
    """

    def __init__(
        self,
        policy: Policy,
        *,
        dimension: int | None = None,
        n_arms: int | None = None,
        decision_set: ArrayLike | UnitBall | None = None,
        seed: int = 0,
        is_interpreted: bool = False,
    ) -> None:
        given = [value is not None for value in (dimension, n_arms, decision_set)]
        if sum(given) != 1:
            raise TypeError(
                f"exactly one of dimension, n_arms and decision_set must be given, got {sum(given)}"
            )
        fixed: Matrix | UnitBall | None = None
        if n_arms is not None:
            fixed = np.eye(require_integer("n_arms", n_arms))
        elif isinstance(decision_set, UnitBall):
            fixed = decision_set
        elif decision_set is not None:
            fixed = np.array(require_actions("decision_set", decision_set, shape=(None, None)))
        if isinstance(fixed, UnitBall):
            self._shape: tuple[int, ...] = (1, fixed.dimension)
        elif fixed is not None:
            self._shape = fixed.shape
        else:
            self._shape = (0, require_integer("dimension", dimension))
        self._fixed = fixed
        self._policy, self._seed = policy, require_integer("seed", seed, at_least=0)
        self._luck = luck_of(self._seed)
        self._is_interpreted = require_flag("is_interpreted", is_interpreted)
        self._n_choices = 0
        memory = started(policy, self._shape[0], self._shape[1], fixed)
        self._calls = Calls(policy, memory, self._is_interpreted)
        self._calls.restart(self._luck)
        self._fingerprint = fingerprint(policy)

    @property
    def policy(self) -> Policy:
        """The settings and rules."""
        return self._policy

    @property
    def memory(self) -> Any:
        """All that the policy has learnt, in arrays of its own: to be looked at, not changed."""
        return self._calls.memory

    @property
    def n_choices(self) -> int:
        """How many decisions it has made."""
        return self._n_choices

    @property
    def estimate(self) -> Vector:
        """The estimate of the unknown parameter, where the policy has one."""
        try:
            estimate_in = self._policy.estimate_in  # type: ignore[attr-defined]  # not all have one
        except AttributeError:
            name = type(self._policy).__name__
            raise AttributeError(f"{name} keeps no estimate of a parameter") from None
        return estimate_in(self.memory)  # type: ignore[no-any-return]  # a method of any policy

    def explain(self, decision_set: ArrayLike | None = None) -> dict[str, Any]:
        """Return what the policy believes and why it would play what it would, as plain data.

        Action by action if there is a decision set, here or from the start; for the keys see
        `driftwise.core.explaining.explained`. Nothing is learnt, and no luck is spent.
        """
        has_rows = decision_set is not None or isinstance(self._fixed, np.ndarray)
        return explained(self._policy, self.memory, self._rows(decision_set) if has_rows else None)

    def choose(self, decision_set: ArrayLike | UnitBall | None = None) -> Decision:
        """Return what to play; without a decision set, from the one given at the start.

        No coordinate of an action may exceed 1e30 in size.
        """
        rows = self._rows(decision_set)
        is_valid, luck, choice = self._calls.choose(rows, self._luck, self._n_choices)
        if not is_valid:
            require_actions("decision_set", rows, shape=rows.shape)
            raise no_such_arm(self._policy, choice.arm, len(rows), self._n_choices + 1)
        self._n_choices += 1
        arm = choice.arm
        scores = choice.propensity, choice.value
        return Decision(arm, rows[arm].copy(), *scores, luck, choice, self._fingerprint)

    def learn(self, decision: Decision, reward: float) -> None:
        """Take in the reward of a decision, now or later, in whatever order rewards come.

        A reward may not exceed 1e100 in size, so that no memory overflows.
        A decision that is learnt twice counts twice.
        """
        # Nearly always it is such a number, and asking for more takes as long as learning does.
        if type(reward) is not float or not -LARGEST_REWARD <= reward <= LARGEST_REWARD:
            reward = require_number("reward", reward, largest=LARGEST_REWARD)
        require_sound(decision, self._policy, self._fingerprint, self._shape)
        if not self._calls.learn(decision.action, decision.choice, reward, decision.luck):
            require_actions("action", decision.action, shape=(self._shape[1],))
            require_fraction("propensity", decision.choice.propensity, inclusive=True)

    def replayed(self, log: Iterable[tuple[Decision, float]]) -> Agent:
        """Return another agent that has learnt from a log, in its order, and nothing else.

        With the whole log of this agent, its memory is the same, bit for bit.
        """
        dimension = self._shape[1] if self._fixed is None else None
        twin = Agent(
            self._policy,
            dimension=dimension,
            decision_set=self._fixed,
            seed=self._seed,
            is_interpreted=self._is_interpreted,
        )
        twin._n_choices = self._n_choices
        for decision, reward in log:
            twin.learn(decision, reward)
        return twin

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file; an interruption leaves the old file or the new one.

        A memory that is not finite is refused, and the old file stays.
        """
        header = {
            "policy": to_plain(self._policy),
            "dimension": self._shape[1],
            "seed": self._seed,
            "n_choices": self._n_choices,
            "is_interpreted": self._is_interpreted,
            "is_on_ball": isinstance(self._fixed, UnitBall),
        }
        rows = self._fixed if isinstance(self._fixed, np.ndarray) else None
        write_agent(path, header, self.memory, rows)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Agent:
        """Return a saved agent; it goes on exactly as the saved one would have.

        A file that is damaged, or was made to do damage, is refused.
        """
        with open(path, "rb") as file:
            saved = AgentFile(path, file)
            header = saved.header
            n_choices = require_integer("n_choices", header["n_choices"], at_least=0)
            if n_choices > MOST:
                raise ValueError(f"n_choices must be at most {MOST}, got {n_choices}")
            dimension = saved.dimension()
            fixed: Matrix | UnitBall | None = saved.rows()
            if require_flag(
                "is_on_ball", header.get("is_on_ball", False)
            ):  # not in the first files
                fixed = UnitBall(dimension)
            policy = from_plain(header["policy"])
            saved.require_fit(policy, dimension, fixed)
            agent = cls(
                policy,
                dimension=dimension if fixed is None else None,
                decision_set=fixed,
                seed=header["seed"],
                is_interpreted=header["is_interpreted"],
            )
            agent._n_choices = n_choices
            saved.fill(agent.memory)
        return agent

    def _rows(self, decision_set: ArrayLike | UnitBall | None) -> Matrix:
        if isinstance(self._fixed, UnitBall):
            is_another = not isinstance(decision_set, UnitBall) or decision_set != self._fixed
            if decision_set is not None and is_another:
                raise ValueError("decision_set must be the one given at the start, got another")
            return np.zeros((1, self._fixed.dimension))  # for the policy to fill in
        if decision_set is None:
            if self._fixed is None:
                raise ValueError("decision_set must be given, since it may change; got None")
            return self._fixed
        n_arms, dimension = self._shape
        try:
            rows = floats_in(decision_set)
            shape: tuple[int, ...] = rows.shape
        except (TypeError, ValueError, OverflowError):
            shape = ()
        if len(shape) != 2 or shape[1] != dimension or shape[0] != (n_arms or shape[0]):
            return require_actions("decision_set", decision_set, shape=(n_arms or None, dimension))
        if shape[0] == 0:
            raise ValueError("decision_set must have at least one action, got none")
        # What a memory keeps per arm was computed from the decision set of the start.
        if self._fixed is not None and not np.array_equal(rows, self._fixed):
            raise ValueError("decision_set must be the one given at the start, got another")
        return rows
