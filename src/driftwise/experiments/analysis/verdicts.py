"""Does a claim of the paper come out? The rules were written before the first run.

They are printed in the report, next to what they decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

import polars as pl

from ...core.base.validation import require_known
from ..spec.experiment import Claim, Experiment
from ..spec.rules import RULES
from .bootstrap import Estimate
from .curves import Growth
from .duel import Duel, duel

__all__ = ["Evidence", "Result", "Verdict", "decide", "judge", "result_of_slope"]


class Result(Enum):
    """What can be said of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNKNOWN = "not judged"  # the run was interrupted before there was anything to judge by


class Verdict(NamedTuple):
    """A claim, what became of it, and the numbers in one plain sentence."""

    experiment: str
    claim: Claim
    result: Result
    sentence: str
    rule: str  # the rule in words


class Evidence(NamedTuple):
    """What a claim is judged by."""

    duel: Duel
    slopes: Mapping[str, Estimate | None]
    exponents: Mapping[str, float]  # what theory has in their place


def judge(
    experiment: Experiment,
    numbers: pl.DataFrame,
    growth: Mapping[str, Sequence[Growth]],
    exponents: Mapping[str, float],
) -> list[Verdict]:
    """Return the verdict on each claim; without numbers, not judged.

    Claims are about the first two policies, in the first world.
    """
    world = experiment.worlds[0].label
    evidence = None
    if experiment.claims and world in growth:
        first, second = experiment.contestants[:2]
        evidence = Evidence(
            duel(numbers, world, first, second, seed=experiment.seed),
            {each.policy: each.slope for each in growth[world]},
            exponents,
        )
    return [decide(experiment, claim, evidence) for claim in experiment.claims]


def decide(experiment: Experiment, claim: Claim, evidence: Evidence | None) -> Verdict:
    """Return the verdict on one claim."""
    require_known("rule", claim.rule, RULES)
    first, second = experiment.contestants[:2]
    words = RULES[claim.rule].format(low=claim.low, high=claim.high, first=first, second=second)
    if evidence is None:
        result, sentence = Result.UNKNOWN, "No replication was finished."
    else:
        result, sentence = _DECIDE[claim.rule](claim, evidence)
        if not evidence.duel.has_intervals:
            sentence += (
                " Some horizon has one replication only, so there is no interval and the verdict"
                " cannot take chance into account."
            )
    return Verdict(experiment.name, claim, result, sentence, words)


def result_of_slope(slope: Estimate, exponent: float, tolerance: float) -> Result:
    """Return whether a slope lies near theory's exponent, or at least not above it."""
    low, high = slope.span
    if exponent - tolerance <= low and high <= exponent + tolerance:
        return Result.HOLDS
    # The exponents belong to upper bounds: growing more slowly does not contradict them.
    return Result.IN_PART if low < exponent + tolerance else Result.FAILS


def _decide_share(claim: Claim, evidence: Evidence) -> tuple[Result, str]:
    ratios = evidence.duel
    low, high = ratios.overall.span
    if low <= claim.high and high >= claim.low:
        return Result.HOLDS, _share(ratios)
    if not all(ratio.span[1] < 1.0 for ratio in ratios.ratios):
        return Result.FAILS, _share(ratios)
    way = "smaller" if ratios.overall.value < claim.low else "larger"
    return Result.IN_PART, (
        f"{_share(ratios)} {ratios.first} does have less regret at every horizon, but the share is"
        f" {way} than the paper says."
    )


def _decide_much_smaller(claim: Claim, evidence: Evidence) -> tuple[Result, str]:
    ratios = evidence.duel
    if all(ratio.span[1] < claim.high for ratio in ratios.ratios):
        return Result.HOLDS, _share(ratios)
    return Result.IN_PART if ratios.overall.span[1] < 1.0 else Result.FAILS, _share(ratios)


def _decide_slopes(claim: Claim, evidence: Evidence) -> tuple[Result, str]:
    results, parts = [], []
    for policy in (evidence.duel.first, evidence.duel.second):
        slope, exponent = evidence.slopes[policy], evidence.exponents[policy]
        if slope is None:
            return Result.UNKNOWN, "A slope needs results at two horizons at least."
        result = result_of_slope(slope, exponent, claim.high)
        results.append(result)
        parts.append(
            f"{policy} grows as T to the {_number(slope)} where theory has {exponent:.3f}"
            f" ({result.value})"
        )
    return _combined(results), "; ".join(parts) + "."


def _share(ratios: Duel) -> str:
    return (
        f"{ratios.first}'s regret is {_percent(ratios.overall)} of {ratios.second}'s (geometric"
        f" mean over {_count(ratios.horizons)}), from {_range(ratios.ratios)} at single horizons."
    )


def _combined(results: Iterable[Result]) -> Result:
    found = set(results)
    return found.pop() if len(found) == 1 else Result.IN_PART


def _number(estimate: Estimate) -> str:
    if not estimate.has_interval:
        return f"{estimate.value:.3f}"
    return "{:.3f} [{:.3f}, {:.3f}]".format(estimate.value, *estimate.span)


def _percent(estimate: Estimate) -> str:
    if not estimate.has_interval:
        return f"{estimate.value:.1%}"
    return "{:.1%} [{:.1%}, {:.1%}]".format(estimate.value, *estimate.span)


def _range(ratios: Iterable[Estimate]) -> str:
    values = [ratio.value for ratio in ratios]
    return f"{min(values):.1%} to {max(values):.1%}"


def _count(horizons: tuple[int, ...]) -> str:
    return f"{len(horizons)} horizon" + "s" * (len(horizons) != 1)


_DECIDE: Mapping[str, Callable[[Claim, Evidence], tuple[Result, str]]] = {
    "share": _decide_share,
    "much-smaller": _decide_much_smaller,
    "slopes": _decide_slopes,
}
