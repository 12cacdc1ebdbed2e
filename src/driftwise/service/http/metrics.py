"""Metrics: plain integers on the way, read when Prometheus asks."""

from __future__ import annotations

import platform
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import apsw
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from ..events import Branch, Status
from ..fleet import Fleet
from ..service import FAULTS, Service
from ..shadows.process import Shadows
from ..sums import counts_of
from ..tally import DELAYS
from ..versions import versions

__all__ = ["Histogram", "Metrics"]

_DURATIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.0, 2.0, 5.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_INSIDE = {
    "changes_noticed": "Of the world, by the policy.",
    "effective_memory_rounds": "How many of the last rewards count.",
    "noise": "Of one reward, scaled to 0 to 1.",
}
Metric = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily


class Histogram:
    """Counts by bin; the library's own takes longer than the rest of an observation."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds, self.counts, self.sum = bounds, [0] * (len(bounds) + 1), 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value


def _buckets(bounds: Iterable[float], counts: Sequence[int]) -> list[tuple[str, float]]:
    total, found = 0, []
    for bound, count in zip([*map(str, bounds), "+Inf"], counts, strict=True):
        total += count
        found.append((bound, float(total)))
    return found


class Metrics(Collector):
    """All that is counted about some services."""

    def __init__(
        self, services: Iterable[Service], shadows: Shadows, fleets: Iterable[Fleet] = ()
    ) -> None:
        self._services, self._shadows, self._fleets = list(services), shadows, list(fleets)
        self.requests: dict[tuple[str, int], Histogram] = {}  # by route and status
        every: list[Service | Fleet] = [*self._services, *self._fleets]
        self._commits = {each.problem.name: Histogram(_DURATIONS) for each in every}
        self._batches = {each.problem.name: Histogram(_SIZES) for each in every}
        for each in every:
            each.observers.append(self._observer(each.problem.name))
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def observe(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = route, status
        histogram = self.requests.get(key)
        if histogram is None:
            histogram = self.requests[key] = Histogram(_DURATIONS)
        histogram.observe(seconds)

    def text(self) -> bytes:
        """Return everything as Prometheus reads it."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield everything."""
        build = GaugeMetricFamily("driftwise_build_info", "What runs.", labels=["version", "numba", "sqlite", "cpu", "probe"])  # fmt: skip
        told = versions()
        build.add_metric([told["driftwise"], told["numba"], apsw.sqlite_lib_version(), platform.machine(), told["probe"]], 1)  # fmt: skip
        yield build
        requests = HistogramMetricFamily("driftwise_request_duration_seconds", "Requests.", labels=["route", "code"])  # fmt: skip
        for (route, status), each in list(self.requests.items()):
            requests.add_metric([route, str(status)], _buckets(each.bounds, each.counts), each.sum)
        yield requests
        for service in self._services:
            yield from self._of(service)
        for fleet in self._fleets:  # as a whole: its problems are too many to be told apart
            name = fleet.problem.name
            yield _gauge("driftwise_fleet_resident", "Problems in memory.", name, len(fleet.resident))  # fmt: skip
            yield _counter("driftwise_fleet_starts", "Of problems.", name, fleet.starts)
            yield _counter("driftwise_fleet_stops", "Of problems that were idle, or too many.", name, fleet.stops)  # fmt: skip
            counts, share = fleet.sums.counts(), fleet.sums.share()
            yield from self._of_commits(name)
            yield _faults(name, counts)
            yield from _traffic(name, counts)
            yield _share(name, fleet.problem.share if share is None else share)

    def _of(self, service: Service) -> Iterator[Metric]:
        name, engine = service.problem.name, service.last_engine
        counts = counts_of(service)
        yield from self._of_commits(name)
        yield _faults(name, counts)
        yield _gauge("driftwise_owner", "Whether this process may write.", name, service.is_ready)
        yield _counter("driftwise_takeovers", "How often it began to.", name, service.takeovers)
        yield _counter("driftwise_fenced", "Writes refused, as another node owned the log.", name, service.faults["fenced"])  # fmt: skip
        if engine is None:
            return
        state = engine.state
        tally, ledger = state.tally, state.ledger
        yield from _traffic(name, counts)
        delays = HistogramMetricFamily("driftwise_reward_delay_seconds", "From decision to reward.", labels=["problem"])  # fmt: skip
        delays.add_metric([name], _buckets(DELAYS, tally.delays), tally.delay_sum)
        yield delays
        yield _counter("driftwise_clock_jumps", "Of the wall clock.", name, engine.clock.jumps)
        yield _share(name, state.learner.share)
        committer, store = service.committer, service.store
        gauges = {
            "driftwise_reward_sum": ("Of all that was learnt.", tally.reward_sum),
            "driftwise_decisions_open": ("That wait for a reward.", len(ledger.open)),
            "driftwise_rewards_waiting": ("For their decision.", ledger.n_waiting),
            "driftwise_rewards_held": ("Until learning thaws.", len(state.held)),
            "driftwise_queue_events": ("Not durable yet.", len(engine.queue) + len(engine.writing)),
            "driftwise_log_seq": ("The last event.", state.seq),
            "driftwise_log_bytes": ("Size of the log.", 0 if store is None else store.size()),
            "driftwise_replay_events_per_second": ("At the last start.", service.replay_rate),
            "driftwise_snapshot_age_seconds": (
                "Since the last snapshot.",
                0.0 if committer is None else time.monotonic() - committer.snapshot_time,
            ),
            "driftwise_snapshot_age_events": (
                "Events since the last snapshot.",
                0 if committer is None else state.seq - committer.snapshot_seq,
            ),
        }
        for gauge, (told, value) in gauges.items():
            yield _gauge(gauge, told, name, value)
        if service.problem.arms:
            shares = GaugeMetricFamily("driftwise_arm_share_ratio", "Of decisions.", labels=["problem", "arm"])  # fmt: skip
            total = max(1, sum(tally.arms))
            for arm, count in zip(service.problem.arms, tally.arms, strict=True):
                shares.add_metric([name, arm], count / total)
            yield shares
        for what, value in service.inside.items():
            yield _gauge(f"driftwise_{what}", _INSIDE[what], name, value)
        if (lease := getattr(store, "lease", None)) is not None:
            yield _gauge("driftwise_epoch", "One more with each owner.", name, lease.epoch)
        if service.problem.shadows:
            yield from self._of_shadows(name, state.seq)

    def _of_commits(self, name: str) -> Iterator[Metric]:
        commit, batch = self._commits[name], self._batches[name]
        yield _histogram("driftwise_commit_duration_seconds", "Commits.", name, commit)
        yield _histogram("driftwise_commit_events", "Events of a commit.", name, batch)

    def _of_shadows(self, name: str, seq: int) -> Iterator[Metric]:
        """Yield how shadows do, and how far they are behind."""
        told = {
            "driftwise_shadow_gain": ("How much more a decision would bring.", "gain"),
            "driftwise_shadow_gain_low": ("Its lower limit, for all times at once.", "low"),
            "driftwise_shadow_gain_high": ("Its upper limit.", "high"),
            "driftwise_shadow_scored": ("Decisions.", "scored"),
        }
        every = self._shadows.of(name)
        for metric, (text, field) in told.items():
            gauge = GaugeMetricFamily(metric, text, labels=["problem", "shadow"])
            for each in every:
                gauge.add_metric([name, each.name], float(getattr(each, field)))
            yield gauge
        lag = GaugeMetricFamily("driftwise_shadow_lag_events", "That it has not followed yet.", labels=["problem", "shadow"])  # fmt: skip
        for each in every:
            lag.add_metric([name, each.name], float(max(0, seq - each.seq)))
        yield lag

    def _observer(self, name: str) -> _Observer:
        return _Observer(self._commits[name], self._batches[name])


class _Observer:
    def __init__(self, commits: Histogram, batches: Histogram) -> None:
        self._commits, self._batches = commits, batches

    def __call__(self, seconds: float, n_events: int) -> None:
        self._commits.observe(seconds)
        self._batches.observe(n_events)


def _faults(name: str, counts: Counter[str]) -> CounterMetricFamily:
    faults = CounterMetricFamily("driftwise_faults", "Failed writes and recoveries.", labels=["problem", "kind"])  # fmt: skip
    for kind in FAULTS:  # also those that never happened: else the first one is no rise
        faults.add_metric([name, kind], counts[kind])
    return faults


def _traffic(name: str, counts: Counter[str]) -> Iterator[Metric]:
    decisions = CounterMetricFamily("driftwise_decisions", "Decisions.", labels=["problem", "branch"])  # fmt: skip
    for branch in Branch.NAMES:
        decisions.add_metric([name, branch], counts[branch])
    yield decisions
    rewards = CounterMetricFamily("driftwise_rewards", "Rewards.", labels=["problem", "status"])
    for status in (*Status.NAMES, "duplicate, agrees", "duplicate, differs"):
        rewards.add_metric([name, status], counts[status])
    yield rewards
    yield _counter("driftwise_expired", "Decisions without reward.", name, counts["expired"])


def _share(name: str, share: float) -> GaugeMetricFamily:
    return _gauge("driftwise_exploration_share", "Of decisions, as it should be.", name, share)


def _gauge(name: str, told: str, problem: str, value: float) -> GaugeMetricFamily:
    gauge = GaugeMetricFamily(name, told, labels=["problem"])
    gauge.add_metric([problem], float(value))
    return gauge


def _counter(name: str, told: str, problem: str, value: float) -> CounterMetricFamily:
    counter = CounterMetricFamily(name, told, labels=["problem"])
    counter.add_metric([problem], float(value))
    return counter


def _histogram(name: str, told: str, problem: str, each: Histogram) -> HistogramMetricFamily:
    histogram = HistogramMetricFamily(name, told, labels=["problem"])
    histogram.add_metric([problem], _buckets(each.bounds, each.counts), each.sum)
    return histogram
