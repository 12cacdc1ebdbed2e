"""What the problems of a template count together: sums that never fall, also when some leave memory."""

from __future__ import annotations

from collections import Counter

from .service import Service

__all__ = ["Sums", "counts_of"]


class Sums:
    """What problems have counted while they were in memory: what their logs count before is of the past."""

    def __init__(self) -> None:
        self._before: dict[Service, Counter[str]] = {}  # of each that is in memory
        self._gone: Counter[str] = Counter()  # of those that have left it
        self._told: Counter[str] = Counter()

    def begin(self, service: Service) -> None:
        """Count what a service counts from here on."""
        self._before[service] = counts_of(service)

    def end(self, service: Service) -> None:
        """Keep what a service has counted, which counts no more."""
        self._gone.update(_risen(service, self._before.pop(service)))

    def counts(self) -> Counter[str]:
        """Return the sums."""
        found = self._gone.copy()
        for service, before in self._before.items():
            found.update(_risen(service, before))
        # What could not be written is taken back; a sum that falls would count anew in Prometheus.
        self._told |= found
        return self._told

    def share(self) -> float | None:
        """Return the mean share of exploration; None if no problem is in memory."""
        engines = [each.last_engine for each in self._before]
        shares = [engine.state.learner.share for engine in engines if engine is not None]
        return sum(shares) / len(shares) if shares else None


def counts_of(service: Service) -> Counter[str]:
    """Return decisions by branch, rewards by status, and faults by kind, all by names of their own."""
    found = service.faults.copy()
    if (engine := service.last_engine) is not None:
        found.update(engine.state.counts)
        found.update({f"duplicate, {kind}": n for kind, n in engine.duplicates.items()})
    return found


def _risen(service: Service, before: Counter[str]) -> Counter[str]:
    risen = counts_of(service)
    risen.subtract(before)
    return risen
