"""All checks of a log, as plain data and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.base.showing import html_of
from ..core.base.validation import require_number
from ..core.base.waiting import watched
from .evidence import Evidence, gathered
from .finding import SEVERITIES, Finding
from .propensity_checks import check_frequencies, check_vectors, check_weights
from .reward_checks import check_ids, check_missing_rewards, check_reward_times
from .support_checks import check_effective_sample, check_support
from .time_checks import check_drift, check_gaps

if TYPE_CHECKING:
    from .log import Log

__all__ = ["Soundness", "soundness"]


class Soundness(NamedTuple):
    """What `Log.soundness` found, worst first."""

    events: int
    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing was found that makes estimates from the log wrong."""
        return not any(finding.severity == "error" for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        findings = [finding.as_dict() for finding in self.findings]
        return {"events": self.events, "is_sound": self.is_sound, "findings": findings}

    def as_text(self) -> str:
        """Return everything as lines for a person."""
        return "\n".join([self._head(), *(finding.as_text() for finding in self.findings)])

    def _head(self) -> str:
        count = {
            severity: sum(finding.severity == severity for finding in self.findings)
            for severity in SEVERITIES
        }
        told = ", ".join(
            f"{count[each]} {each}{'s' * (count[each] != 1)}" for each in SEVERITIES[:3]
        )
        return f"{self.events:,} events: {told}."

    def __repr__(self) -> str:
        return self.as_text()

    def __str__(self) -> str:
        return self.as_text()

    def _repr_html_(self) -> str:
        texts = (finding.as_text().partition(": ") for finding in self.findings)
        return html_of(self._head(), [(severity, said) for severity, _, said in texts])


def soundness(log: Log, *, wait: float | None = None) -> Soundness:
    """Return what can be said about a log: see `Log.soundness`."""
    if wait is not None:
        wait = require_number("wait", wait, at_least=0.0)
    if not len(log):
        raise ValueError("log must have at least one event, got none")
    frames = watched(log.frames(), "Checking", weigh=len, total=len(log))
    found = _findings(log, gathered(frames), wait)
    return Soundness(
        len(log), tuple(sorted(found, key=lambda each: SEVERITIES.index(each.severity)))
    )


def _findings(log: Log, evidence: Evidence, wait: float | None) -> Iterator[Finding]:
    yield from check_vectors(evidence)
    yield from check_frequencies(evidence)
    yield from check_weights(evidence)
    yield from check_support(evidence)
    yield from check_effective_sample(evidence)
    yield from check_ids(evidence, log.strays)
    yield from check_missing_rewards(evidence, wait)
    yield from check_reward_times(evidence, wait)
    yield from check_gaps(evidence)
    yield from check_drift(evidence)
    if log.unread:
        unread = ", ".join(name or "a column without a name" for name in log.unread)
        says = f"Not read: {unread}."
        means = "Nothing is learnt from what is there."
        advice = "give those that matter the name of a field."
        yield Finding("fields", "note", says, means, advice, {"unread": log.unread})
