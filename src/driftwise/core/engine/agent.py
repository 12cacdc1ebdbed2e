"""A policy at work: choose now, learn when the reward comes."""

from __future__ import annotations

import copy
import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..base.limits import MOST
from ..base.validation import require_integer
from ..contract.coordinates import extend, require_coordinates
from ..contract.encoding import Encoder
from ..contract.policy import Policy
from ..contract.records import to_plain
from ..contract.unit_ball import UnitBall
from .agent_file import AgentFile, agent_bytes, write_agent
from .calls import Calls
from .overruling import Overruling
from .past import Entry, learn_events, relive
from .starting import resettle, started

__all__ = ["Agent"]


class Agent(Overruling):
    """A policy, its memory and its luck: what a program holds to make decisions.

    The first call does not wait for the compiler: rules run interpreted, with the same decisions, until
    a child process has compiled them; `warm_up` waits instead, and so does every call if the
    environment has ``DRIFTWISE_COMPILE=wait``. With ``DRIFTWISE_COMPILE=never`` agents stay interpreted: for
    tests of programs that make a few decisions.

    Several threads may share one: a lock inside serves them one at a time. An agent warns, once
    each, of rewards and of actions that are outside what the policy was told, see
    `SettingsWarning`.

    Parameters
    ----------
    policy
        How to choose and how to learn. If nothing is known about the drift, take `AdaptiveUCB`: it
        must be told neither horizon, noise, variation nor units. It has no proof, only
        measurements (docs/scoreboard.md);
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
    encoder
        Instead of these three: an encoder of `driftwise.features`, which makes rows of dictionaries.
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
    >>> agent = dw.Agent(dw.AdaptiveUCB(), dimension=2, seed=0)
    >>> decision = agent.choose([[1.0, 0.0], [0.0, 2.0]])
    >>> decision.arm, decision.action, decision.propensity
    (1, array([0., 2.]), 0.5)
    >>> agent.learn(decision, reward=0.3)
    """

    def warmed(self, log: Iterable[Mapping[str, Any]]) -> Agent:
        """Return an agent that knows what this one knows, and has learnt from a log besides.

        The log may be of any system. Rewards are learnt in the order in which they came; see `observe`
        for what is learnt from a choice of others. This agent stays as it is.

        Parameters
        ----------
        log
            A `driftwise.Log`, or other events like those in one.

        Examples
        --------
        >>> import driftwise as dw
        >>> log = dw.Log([{"action": 0, "reward": 0.2}, {"action": 1, "reward": 0.8}])
        >>> agent = dw.Agent(dw.LinUCB(noise=0.1), n_arms=2, is_interpreted=True)
        >>> agent.warmed(log).estimate
        array([0.1, 0.4])
        """
        warmed = copy.deepcopy(self)
        learn_events(warmed, log)
        return warmed

    def replayed(self, log: Iterable[Entry | Mapping[str, Any]]) -> Agent:
        """Return another agent to which the same happened, in the order of a log, and nothing else.

        Parameters
        ----------
        log
            A `driftwise.Log` of decisions of this policy, with what `Decision.as_event` tells. Or
            what happened, one entry for each: a decision by itself when it was made; ``(decision,
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
        twin = self._anew()
        twin._n_choices = max(self._n_choices, relive(twin, log))
        return twin

    def extended(self, encoder: Encoder) -> Agent:
        """Return an agent that goes on with all that was learnt, and sees more than this one did.

        The new coordinates start from the prior. Decisions that this agent has made are for this one to
        learn from: their rows are shorter. Where all rows are divided by more than before, because
        the declaration has no room for more ``blocks``, a ridge weighs more, too.

        Parameters
        ----------
        encoder
            One that declares what this agent's does, and more: see `driftwise.features.Encoder`.
        """
        with self._lock:
            if self._dictionaries is None:
                raise TypeError("extended is for agents with an encoder")
            wider = Agent(
                self._policy, encoder=encoder, seed=self._seed, is_interpreted=self._is_interpreted
            )
            columns, factor = self._dictionaries.encoder.extension(encoder)
            require_coordinates(self._policy)
            extend(wider.memory, self.memory, self._unlearnt().memory, columns, factor)
            wider._dictionaries = self._dictionaries.extended(encoder)
            wider._n_choices, wider._n_observed = self._n_choices, self._n_observed
            wider._recorder = copy.deepcopy(self._recorder)
        return wider

    def _anew(self) -> Agent:
        """Return the agent as it was before anything happened."""
        offered = self._offers.arguments() if self.encoder is None else {"encoder": self.encoder}
        return Agent(
            self._policy, **offered, seed=self._seed, is_interpreted=self._is_interpreted,
            history=0 if self._recorder is None else self._recorder.capacity,
        )  # fmt: skip

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
            n_observed, dictionaries = self._n_observed, copy.deepcopy(self._dictionaries)
        header = {
            "policy": to_plain(self._policy),
            "dimension": self._offers.shape[1],
            "seed": self._seed,
            "n_choices": n_choices,
            "is_interpreted": self._is_interpreted,
            "is_on_ball": isinstance(self._offers.fixed, UnitBall),
            "n_arms": self._offers.n_arms,
            "n_observed": n_observed,
        }
        if dictionaries is not None:
            header["encoder"] = dictionaries.encoder.to_toml()
            roster = dictionaries.roster
            header["roster"] = None if roster is None else roster.as_dict()
            header["forgotten"] = [dictionaries.n_rewards, dictionaries.forgotten]
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
        counts = {name: header.get(name, 0) for name in ("n_choices", "n_observed")}
        for name, count in counts.items():
            if require_integer(name, count, at_least=0) > MOST:
                raise ValueError(f"{name} must be at most {MOST}, got {count}")
        dictionaries = saved.dictionaries()
        offers = saved.offers(dictionaries)
        saver = saved.policy(policy)
        agent = cls(
            saved.fitting(saver if policy is None else policy, offers, is_given=policy is not None),
            seed=header["seed"],
            is_interpreted=header["is_interpreted"],
            history=header.get("history", 0),
            **(offers.arguments() if dictionaries is None else {"encoder": dictionaries.encoder}),
        )
        agent._dictionaries = dictionaries
        agent._n_choices, agent._n_observed = counts.values()
        agent._open = saved.last_open(agent._policy, agent._fingerprint, offers)
        unlearnt = None if policy is None else copy.deepcopy(agent.memory)
        saved.fill(agent.memory)
        if unlearnt is not None:
            n_rows, length = offers.shape
            before = started(saved.fitting(saver, offers), n_rows, length, offers.fixed)
            Calls(saver, before, agent._is_interpreted).restart(agent._luck)
            resettle(agent.memory, before, unlearnt)
        return agent
