"""A policy that runs: its memory, its luck, and what it is offered."""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arguments import speaks_of_its_class
from ..base.arrays import Vector
from ..base.validation import require_flag, require_integer
from ..contract.decision import Decision
from ..contract.encoding import Encoder, dimension_of
from ..contract.fingerprint import fingerprint
from ..contract.memories import digest_of
from ..contract.offers import Offers
from ..contract.optional import knows_flight
from ..contract.policy import Policy
from ..contract.unit_ball import UnitBall
from ..explain.portrait import Portrait, portrait_of
from ..randomness.seeds import luck_of
from .calls import Calls
from .dictionaries import Dictionaries
from .expectations import expectations_of
from .history import History, Recorder
from .starting import started

__all__ = ["Running"]


class Running:
    """What `driftwise.Agent` holds, and what can be asked of it without deciding anything."""

    @speaks_of_its_class
    def __init__(
        self,
        policy: Policy,
        *,
        dimension: int | None = None,
        n_arms: int | None = None,
        decision_set: ArrayLike | UnitBall | None = None,
        encoder: Encoder | None = None,
        seed: int = 0,
        is_interpreted: bool = False,
        history: int = 0,
    ) -> None:
        self._dictionaries: Dictionaries | None = None
        if encoder is not None:
            if (dimension, n_arms, decision_set) != (None, None, None):
                raise TypeError(
                    "with an encoder, dimension, n_arms and decision_set must be left out, got one"
                )
            self._dictionaries = Dictionaries(encoder)
            dimension = dimension_of(encoder)
        self._offers = Offers(dimension=dimension, n_arms=n_arms, decision_set=decision_set)
        self._policy, self._seed = policy, require_integer("seed", seed, at_least=0)
        self._luck = luck_of(self._seed)
        self._is_interpreted = require_flag("is_interpreted", is_interpreted)
        wanted = require_integer("history", history, at_least=0)
        self._recorder = Recorder(wanted) if wanted else None
        self._n_choices = 0
        self._n_observed = 0
        self._knows_flight = knows_flight(policy)
        self._open: Decision | None = None  # the last one, if the policy counts what is in flight
        self._calls = self._unlearnt()
        self._fingerprint = fingerprint(policy)
        self._lock = threading.RLock()  # what a warning calls may well ask the agent something
        self._expected = expectations_of(policy)
        if self._offers.longest() > self._expected.length:
            self._expected.warn_of_length(frames=4)  # one of them is that of what names the class

    def _unlearnt(self) -> Calls:
        """Return the policy with a memory in which nothing has been learnt."""
        n_rows, length = self._offers.shape
        memory = started(self._policy, n_rows, length, self._offers.fixed)
        calls = Calls(self._policy, memory, self._is_interpreted)
        calls.restart(self._luck)
        return calls

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # which stays behind
            own = {name: getattr(self, name) for name in ("_calls", "_recorder", "_dictionaries")}
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
    def encoder(self) -> Encoder | None:
        """What turns dictionaries into rows, if the agent has an encoder."""
        return None if self._dictionaries is None else self._dictionaries.encoder

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
        """Compile the policy now, unless that is done; every call is then fast.

        Without it the first decisions run interpreted, a millisecond each, while a child process
        compiles; the decisions are the same. See also ``driftwise warm-up``.
        """
        offers = self._offers
        is_known = isinstance(offers.fixed, np.ndarray)
        has_set = is_known or isinstance(offers.fixed, UnitBall)
        rows = offers.rows(None) if has_set else np.ones((1, offers.shape[1]))
        with self._lock:
            self._calls.warm_up(rows, is_known)

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
