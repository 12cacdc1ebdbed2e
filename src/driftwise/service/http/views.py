"""What the page shows, sampled once a second from the state: rings of seconds, minutes and hours."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from ..controls import told_of
from ..engine import Engine
from ..events import (
    Archived,
    Branch,
    Controlled,
    Decided,
    Expired,
    Operated,
    Rewarded,
    Status,
    event_of,
)
from ..requests import RefusalError
from ..service import Service
from ..shadows.scoring import Standing
from ..tally import DELAYS
from .rings import Ring
from .stream import Beat, Belief, Change, Delays, Head, Past, Recent

__all__ = ["Views"]

_MOST_ARMS = 20  # of which the page shows shares
_PERIODS = {"seconds": (1, 600), "minutes": (60, 1440), "hours": (3600, 2160)}


class Views:
    """Samples a service.

    Parameters
    ----------
    service
        What is shown.
    shadows
        Tells how its shadows do.
    """

    def __init__(self, service: Service, shadows: Callable[[], list[Standing]] = list) -> None:
        self.service, self._shadows = service, shadows
        self._rings = {name: Ring(*period) for name, period in _PERIODS.items()}
        self._last: dict[str, Any] | None = None
        self._n_changes: int | None = None
        self.belief: Belief | None = None
        self.changes: deque[Change] = deque(maxlen=500)
        self._beat: Beat | None = None
        self.problem = service.problem
        service.watchers.append(self._restarted)
        if service.last_engine is not None:  # it serves already
            self._restarted(service.last_engine)

    def close(self) -> None:
        """Look no longer."""
        self.service.watchers.remove(self._restarted)

    @property
    def n_arms(self) -> int:
        """How many arms are told apart."""
        return len(self.problem.arms) if len(self.problem.arms) <= _MOST_ARMS else 0

    @property
    def is_shown(self) -> bool:
        """Whether there is anything to show: not while another node serves the problem."""
        return self.service.last_engine is not None

    def head(self) -> Head:
        """Return what does not change."""
        problem, reward, engine = self.problem, self.problem.reward, self.service.last_engine
        encoder, fallback = problem.encoder, problem.guards.fallback
        return Head(
            problem=problem.name,
            policy=type(problem.policy if engine is None else engine.state.problem.policy).__name__,
            version="" if engine is None else engine.version,
            arms=list(problem.arms),
            features=list(problem.arms)
            if encoder is None
            else [self._named(name) for name in encoder.names],
            reward_low=reward.low,
            reward_high=reward.high,
            window=reward.window / 1e6,
            default=reward.default,
            join=reward.join,
            fallback=problem.arms[fallback] if problem.arms and fallback is not None else None,
            started=int(self.service.started),
        )

    def _named(self, column: str) -> str:
        """Return the name of a column, with the arm whose own it is instead of its place."""
        place, colon, rest = column.removeprefix("place ").partition(":")
        is_own = bool(colon) and place.isdigit() and int(place) < len(self.problem.arms)
        return f"{self.problem.arms[int(place)]}:{rest}" if is_own else column

    def past(self) -> Past:
        """Return all that a page shows when it opens."""
        rings = {name: ring.moments(self.n_arms) for name, ring in self._rings.items()}
        beat = self._beat or self.sample()
        assert beat is not None, "asked of a problem that another node serves"
        return Past(head=self.head(), **rings, changes=list(self.changes), now=beat)

    @property
    def beat(self) -> Beat | None:
        """The last sample."""
        return self._beat

    def sample(self) -> Beat | None:
        """Take the next sample; called once a second. There is none of what another node serves."""
        engine = self.service.last_engine
        if engine is None:
            self._beat = None
            return None
        t = int(engine.clock.now() // 1_000_000)
        sums = self._sums(engine)
        change = {
            key: [a - b for a, b in zip(value, self._last[key], strict=True)]
            if isinstance(value, list)
            else value - self._last[key]
            for key, value in sums.items()
        } if self._last is not None else {}  # fmt: skip
        self._last = sums
        for ring in self._rings.values():
            ring.add(t, change, self.belief)
        self._beat = self._now(engine, t)
        return self._beat

    async def look_inside(self, explained: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        """Ask what the agent believes."""
        engine = self.service.last_engine
        if engine is None:
            return
        learner, seq = engine.state.learner, engine.state.seq
        try:
            told = await explained(learner.agent, None if learner.plays_arms else learner.fixed)
        except RefusalError:  # a policy that keeps no estimate
            return
        self.belief = self._belief(seq, told)
        noticed = self.belief.changes
        if noticed is not None and self._n_changes is not None and noticed > self._n_changes:
            self.changes.append(Change(int(time.time()), "change noticed"))
        self._n_changes = noticed
        told = {"changes_noticed": noticed, "effective_memory_rounds": self.belief.memory, "noise": self.belief.noise}  # fmt: skip
        self.service.inside = {name: value for name, value in told.items() if value is not None}

    def _belief(self, seq: int, told: dict[str, Any]) -> Belief:
        actions = told.get("actions", [])
        names = self.problem.arms
        for action in actions:
            action["name"] = names[action["arm"]] if names else str(action["arm"])
        return Belief(
            seq=seq,
            summary=told["summary"],
            memory=told.get("effective_memory"),
            noise=told.get("noise"),
            estimate=told.get("estimate", []),
            errors=told.get("standard_errors", []),
            arms=actions,
            winner=told.get("winner", {}).get("explanation", ""),
            changes=told.get("changes"),
        )

    def _sums(self, engine: Engine) -> dict[str, Any]:
        state = engine.state
        tally, counts = state.tally, state.counts
        branches = [counts[name] for name in Branch.NAMES]
        return {
            "decisions": sum(branches),
            "rewards": tally.rewards,
            "reward_sum": tally.reward_sum,
            "explored": tally.explored,
            "explored_sum": tally.explored_sum,
            "explored_squares": tally.explored_squares,
            "expired": counts["expired"],
            "branches": branches,
            "arms": list(tally.arms) if self.n_arms else [],
        }

    def _now(self, engine: Engine, t: int) -> Beat:
        state, learner, committer = engine.state, engine.state.learner, self.service.committer
        last = self._rings["seconds"].moments(self.n_arms, 11)
        seconds = max(1, len(last.t) - 1)
        durations = sorted(committer.durations) if committer is not None else []
        statuses = {name: state.counts[name] for name in Status.NAMES if state.counts[name]}
        statuses |= {f"duplicate, {key}": count for key, count in engine.duplicates.items()}
        names = self.problem.arms
        return Beat(
            t=t,
            seq=state.seq,
            mode=learner.mode,
            is_frozen=learner.is_frozen,
            off=[names[arm] for arm in sorted(learner.off)],
            share=learner.share,
            is_ready=self.service.is_ready,
            decisions_per_second=sum(last.decisions[:-1]) / seconds,
            rewards_per_second=sum(last.rewards[:-1]) / seconds,
            open=len(state.ledger.open),
            held=len(state.held),
            waiting=state.ledger.n_waiting,
            queue=len(engine.queue) + len(engine.writing),
            commit_p99=durations[int(0.99 * len(durations))] if durations else None,
            branches={name: state.counts[name] for name in Branch.NAMES},
            statuses=statuses,
            expired=state.counts["expired"],
            delays=Delays(list(DELAYS), list(state.tally.delays)),
            last=self._rings["seconds"].moments(self.n_arms, 2),
            belief=self.belief,
            changes=[change for change in self.changes if change.t > t - 10],
            recent=[recent for row in reversed(engine.recent) if (recent := self._recent(row))],
            shadows=self._shadows(),
            epoch=None
            if (lease := getattr(self.service.store, "lease", None)) is None
            else lease.epoch,
        )

    def _recent(self, row: Any) -> Recent | None:
        event = event_of(row)
        body = event.body
        if isinstance(body, Decided):
            names = body.names or self.problem.arms
            arm = names[body.arm] if names else str(body.arm)
            kind, what = "decided", f"{arm}, {Branch.NAMES[body.branch]}"
        elif isinstance(body, Rewarded):
            kind, what = "rewarded", f"{body.value:g}, {Status.NAMES[body.status]}"
        elif isinstance(body, Expired):
            kind, what = "expired", f"{len(body.ids)} without reward"
        elif isinstance(body, Controlled | Operated | Archived):
            kind, what = (
                "controlled",
                f"{told_of(body, self.problem.arms)} by {body.who}: {body.why}",
            )
        else:
            return None
        return Recent(event.seq, event.t // 1_000_000, kind, event.id, what)

    def _restarted(self, engine: Engine) -> None:
        if self._last is None and (kept := engine.rings()):  # this has seen nothing yet
            self._recall(kept)
        self._last = self._sums(engine)  # perhaps behind those of the engine that was thrown away
        engine.on_control = self._controlled
        engine.rings = self._kept

    def _kept(self) -> bytes:
        """Return the past for the next process."""
        rings = {name: ring.periods for name, ring in self._rings.items()}
        return msgspec.msgpack.encode({"rings": rings, "changes": list(self.changes)})

    def _recall(self, content: bytes) -> None:
        kept = msgspec.msgpack.decode(content)
        for name, ring in self._rings.items():
            ring.periods = kept["rings"].get(name, [])
            for period in ring.periods:  # arms may have come since
                period["arms"] = (period.get("arms", []) + [0] * self.n_arms)[: self.n_arms]
        self.changes.extend(msgspec.convert(kept["changes"], list[Change]))

    def _controlled(self, t: int, body: Controlled | Operated | Archived) -> None:
        self.changes.append(
            Change(t // 1_000_000, told_of(body, self.problem.arms), body.who, body.why)
        )
