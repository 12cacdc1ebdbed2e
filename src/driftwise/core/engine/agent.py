"""A policy at work: choose now, learn when the reward comes."""

from __future__ import annotations

import copy
import io
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Matrix, Vector
from ..base.limits import MOST
from ..base.validation import (
    LARGEST_REWARD,
    require_actions,
    require_flag,
    require_fraction,
    require_integer,
    require_number,
)
from ..contract.decision import Decision, require_sound
from ..contract.fingerprint import fingerprint
from ..contract.memories import digest_of
from ..contract.offers import Offers
from ..contract.optional import knows_flight
from ..contract.policy import Policy
from ..contract.records import to_plain
from ..contract.rows import no_such_arm
from ..contract.unit_ball import UnitBall
from ..explain.explaining import explained
from ..explain.portrait import Portrait, portrait_of
from ..randomness.seeds import luck_of
from .agent_file import AgentFile, agent_bytes, write_agent
from .calls import NO_NUMBERS, NO_SUCH_ARM, TOO_LONG, Calls
from .expectations import expectations_of
from .history import History, Recorder
from .starting import resettle, started

__all__ = ["Agent"]


class Agent:
    """A policy, its memory and its luck: what a program holds to make decisions.

    The first call does not wait for the compiler: rules run interpreted, with the same decisions, until
    a child process has compiled them; `warm_up` waits instead, and so does every call if the
    environment has ``DRIFTWISE_COMPILE=wait``.

    Several threads may share one: a lock inside serves them one at a time. An agent warns, once
    each, of rewards and of actions that are outside what the policy was told, see
    `SettingsWarning`.

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
    history
        How many of its last decisions the agent remembers, with their rewards, for `history`; none by
        default.

    Examples
    --------
    >>> import driftwise as dw
    >>> agent = dw.Agent(dw.AdaptiveUCB(action_norm=2.0), dimension=2, seed=0)
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
        history: int = 0,
    ) -> None:
        self._offers = Offers(dimension=dimension, n_arms=n_arms, decision_set=decision_set)
        self._policy, self._seed = policy, require_integer("seed", seed, at_least=0)
        self._luck = luck_of(self._seed)
        self._is_interpreted = require_flag("is_interpreted", is_interpreted)
        wanted = require_integer("history", history, at_least=0)
        self._recorder = Recorder(wanted) if wanted else None
        self._n_choices = 0
        self._knows_flight = knows_flight(policy)
        self._open: Decision | None = (
            None  # the last one, if the policy would be told that it waits
        )
        n_rows, length = self._offers.shape
        memory = started(policy, n_rows, length, self._offers.fixed)
        self._calls = Calls(policy, memory, self._is_interpreted)
        self._calls.restart(self._luck)
        self._fingerprint = fingerprint(policy)
        self._lock = threading.RLock()  # what a warning calls may well ask the agent something
        self._expected = expectations_of(policy)
        if self._offers.longest() > self._expected.length:
            self._expected.warn_of_length()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # which stays behind
            own = {"_calls": self._calls, "_recorder": self._recorder}
            state = self.__dict__ | copy.deepcopy(own)
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def __repr__(self) -> str:
        return self._portrait().as_text()

    def _repr_html_(self) -> str:
        return self._portrait().as_html()

    def _portrait(self) -> Portrait:
        with self._lock:
            return portrait_of(self._policy, self.memory, self._offers, self._n_choices)

    @property
    def policy(self) -> Policy:
        """The settings and rules."""
        return self._policy

    @property
    def memory(self) -> Any:
        """All that the policy has learnt, in arrays of its own: to be looked at, not changed."""
        return self._calls.memory

    @property
    def digest(self) -> str:
        """A digest of the memory: two agents that have learnt the same have the same one.

        It depends on the numbers and on the names of their fields, on no machine and no version.
        """
        with self._lock:
            return digest_of(self.memory)

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
        with self._lock:
            return estimate_in(self.memory)  # type: ignore[no-any-return]  # a method of any policy

    def warm_up(self) -> None:
        """Compile the policy now, if nobody has; every call is then fast.

        Without it the first decisions run interpreted, a millisecond each, while a child process
        compiles; the decisions are the same. See also ``driftwise warm-up``.
        """
        offers = self._offers
        is_known = isinstance(offers.fixed, np.ndarray)
        has_set = is_known or isinstance(offers.fixed, UnitBall)
        rows = offers.rows(None) if has_set else np.ones((1, offers.shape[1]))
        with self._lock:
            self._calls.warm_up(rows, is_known)

    def explain(self, decision_set: ArrayLike | None = None) -> dict[str, Any]:
        """Return what the policy believes and why it would play what it would, as plain data.

        Action by action if there is a decision set, here or from the start; for the keys see
        `driftwise.core.explain.explaining.explained`. Nothing is learnt, and no luck is spent.
        """
        has_rows = decision_set is not None or isinstance(self._offers.fixed, np.ndarray)
        rows = self._offers.rows(decision_set) if has_rows else None
        with self._lock:
            return explained(self._policy, self.memory, rows)

    def choose(self, decision_set: ArrayLike | UnitBall | None = None) -> Decision:
        """Return what to play; without a decision set, from the one given at the start.

        No coordinate of an action may exceed 1e30 in magnitude.
        """
        offers, expected = self._offers, self._expected
        rows = offers.rows(decision_set)
        with self._lock:
            if self._open is not None:
                self._expect_open(None if rows is offers.fixed else rows)
            fault, luck, choice = self._calls.choose(
                rows, rows is offers.fixed, self._luck, self._n_choices, expected.length
            )
            if fault == NO_NUMBERS:
                require_actions("decision_set", rows, shape=rows.shape)
            elif fault == NO_SUCH_ARM:
                raise no_such_arm(self._policy, choice.arm, len(rows), self._n_choices + 1)
            elif fault == TOO_LONG:
                expected.warn_of_length()
            self._n_choices += 1
            arm, action, scores = (
                choice.arm,
                rows[choice.arm].copy(),
                (choice.propensity, choice.value),
            )
            decision = Decision(arm, action, *scores, luck, choice, self._fingerprint)
            if self._knows_flight:
                self._open = decision
            if self._recorder is not None:
                self._recorder.chosen(self._n_choices, decision)
        return decision

    def learn(self, decision: Decision, reward: float) -> None:
        """Take in the reward of a decision, now or later, in whatever order rewards come.

        A reward may not exceed 1e100 in magnitude, so that no memory overflows.
        A decision that is learnt twice counts twice.
        """
        expected = self._expected
        # Nearly always it is such a number, and asking for more takes as long as learning does.
        is_expected = type(reward) is float and -expected.reward <= reward <= expected.reward
        if not is_expected:
            reward = float(reward) if isinstance(reward, bool | np.bool_) else reward
            reward = require_number("reward", reward, largest=LARGEST_REWARD)
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        with self._lock:
            if not is_expected and abs(reward) > expected.reward:
                expected.warn_of_reward()
            is_open = self._is_open(decision)
            _, action, _, _, luck, choice, _ = decision
            if not self._calls.learn(action, choice, reward, luck, was_expected=not is_open):
                self._refuse(decision)
            if is_open:
                self._open = None
            if self._recorder is not None:
                self._recorder.learnt(luck, reward)

    def history(self) -> History:
        """Return its last decisions and what it has learnt of their rewards, oldest first.

        As many as the agent was told to remember: ``Agent(..., history=1000)``. They are for looking at:
        nothing is decided by them, and a file of the agent is without them. For all that happened, for
        good, write a log (`driftwise.Log`).

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.UCB1(), n_arms=2, history=1000)
        >>> first, second = agent.choose(), agent.choose()
        >>> agent.learn(second, 0.5)
        >>> agent.history().reward
        array([nan, 0.5])
        """
        if self._recorder is None:
            raise ValueError(
                "history must be at least 1 to be looked at, got 0: Agent(..., history=1000)"
            )
        with self._lock:
            return self._recorder.history()

    def give_up(self, decision: Decision) -> None:
        """Take note that the reward of a decision will never come.

        Policies that count decisions in flight count it no longer. Nothing is learnt. It is no duty:
        what is never heard of again fades by itself.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.UCB1(), n_arms=2)
        >>> agent.give_up(agent.choose())
        """
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        with self._lock:
            if self._is_open(decision):
                self._open = None
            elif not self._calls.settle(decision.action, decision.choice, decision.luck):
                self._refuse(decision)

    def _is_open(self, decision: Decision) -> bool:
        """Return whether it is the last one, and no other choice was due since."""
        return self._open is not None and self._open.luck == decision.luck

    def _expect_open(self, offer: Matrix | None) -> None:
        """Tell the policy that the last decision is in flight, if a choice from this offer is due."""
        last = self._open
        if last is not None and self._calls.expect(last.action, last.choice, last.luck, offer):
            self._open = None

    def _refuse(self, decision: Decision) -> None:
        require_actions("action", decision.action, shape=self._offers.shape[1:])
        require_fraction("propensity", decision.choice.propensity, inclusive=True)

    def replayed(self, log: Iterable[Decision | tuple[Decision, float | None]]) -> Agent:
        """Return another agent to which the same happened, in the order of a log, and nothing else.

        Parameters
        ----------
        log
            What happened, one entry for each: a decision by itself when it was made; ``(decision,
            reward)`` when it was learnt; ``(decision, None)`` when it was given up. With the complete
            log of this agent the memory is the same, bit for bit. Without the decisions by
            themselves, what was learnt is the same, and nothing is in flight.

        Examples
        --------
        >>> import driftwise as dw
        >>> agent = dw.Agent(dw.UCB1(), n_arms=2)
        >>> one, other = agent.choose(), agent.choose()
        >>> agent.learn(one, 0.5)
        >>> agent.give_up(other)
        >>> twin = agent.replayed([one, other, (one, 0.5), (other, None)])
        >>> twin.digest == agent.digest
        True
        """
        twin = Agent(
            self._policy,
            **self._offers.arguments(),
            seed=self._seed,
            is_interpreted=self._is_interpreted,
        )
        twin._n_choices = self._n_choices
        for entry in log:
            if isinstance(entry, Decision):
                twin._made(entry)
                continue
            decision, reward = entry
            if reward is None:
                twin.give_up(decision)
            else:
                twin.learn(decision, reward)
        return twin

    def _made(self, decision: Decision) -> None:
        """Go through what `choose` went through when it returned this decision."""
        require_sound(decision, self._policy, self._fingerprint, self._offers)
        self._expect_open(None)
        if self._knows_flight:
            self._open = decision

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file; an interruption leaves the old file or the new one.

        A memory that is not finite is refused, and the old file stays.
        """
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(f"path must be in a folder that exists, got {str(path)!r}")
        write_agent(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return what `save` writes: for a database, or to be sent."""
        with self._lock:  # and no longer: others need not wait for the disk
            memory, n_choices, last = copy.deepcopy(self.memory), self._n_choices, self._open
        header = {
            "policy": to_plain(self._policy),
            "dimension": self._offers.shape[1],
            "seed": self._seed,
            "n_choices": n_choices,
            "is_interpreted": self._is_interpreted,
            "is_on_ball": isinstance(self._offers.fixed, UnitBall),
            "n_arms": self._offers.n_arms,
        }
        if self._recorder is not None:  # the decisions themselves stay behind
            header["history"] = self._recorder.capacity
        if last is not None:  # its action, too, where that is not the row of its arm
            has_rows = isinstance(self._offers.fixed, np.ndarray)
            header["open"] = {
                "luck": last.luck,
                "choice": to_plain(last.choice),
                "action": None if has_rows else last.action.tolist(),
            }
        fixed = None if self._offers.n_arms is not None else self._offers.fixed
        return agent_bytes(header, memory, fixed if isinstance(fixed, np.ndarray) else None)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, policy: Policy | None = None) -> Agent:
        """Return a saved agent; it continues exactly as the saved one would have.

        A file that is damaged, or was made to do damage, is refused.

        Parameters
        ----------
        path
            What was given to `save`, by this version or an earlier one.
        policy
            Continue with this policy instead of the saved one, such as the same with other settings; its
            memory must have the same layout. What follows from settings alone, such as the radius of a
            window, is that of the new ones at once. What came with rewards stays as it was learnt,
            so that a new ridge counts from the next restart or rebuild on. Decisions that were made
            with the old settings are refused: learn them before, or rebuild each on purpose with
            `Decision.from_parts` and the new policy.
        """
        with open(path, "rb") as file:
            return cls._restored(AgentFile("path", repr(str(path)), file), policy)

    @classmethod
    def from_bytes(cls, content: bytes, *, policy: Policy | None = None) -> Agent:
        """Return the agent of `to_bytes`; all is as with `load`."""
        if not isinstance(content, bytes | bytearray | memoryview):
            raise TypeError(f"content must be bytes, got {type(content).__name__}")
        saved = AgentFile("content", f"{len(content)} bytes", io.BytesIO(content))
        return cls._restored(saved, policy)

    @classmethod
    def _restored(cls, saved: AgentFile, policy: Policy | None) -> Agent:
        header = saved.header
        n_choices = require_integer("n_choices", header["n_choices"], at_least=0)
        if n_choices > MOST:
            raise ValueError(f"n_choices must be at most {MOST}, got {n_choices}")
        offers = saved.offers()
        saver = saved.policy(policy)
        agent = cls(
            saved.fitting(saver if policy is None else policy, offers, is_given=policy is not None),
            seed=header["seed"],
            is_interpreted=header["is_interpreted"],
            history=header.get("history", 0),
            **offers.arguments(),
        )
        agent._n_choices = n_choices
        agent._open = saved.last_open(agent._policy, agent._fingerprint, offers)
        unlearnt = None if policy is None else copy.deepcopy(agent.memory)
        saved.fill(agent.memory)
        if unlearnt is not None:
            n_rows, length = offers.shape
            before = started(saved.fitting(saver, offers), n_rows, length, offers.fixed)
            Calls(saver, before, agent._is_interpreted).restart(agent._luck)
            resettle(agent.memory, before, unlearnt)
        return agent
