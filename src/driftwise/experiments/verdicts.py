"""Does a claim of the paper come out? The rules were written before the first run.

They are printed in the report, next to what they decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

from .analysis import Analysis
from .bootstrap import Estimate
from .experiment import Claim, Experiment

__all__ = ["RULES", "Result", "Verdict", "judge", "result_of_slope"]


class Result(Enum):
    """What can be said of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNKNOWN = "not judged"  # the run was interrupted before there was anything to judge by


class Verdict(NamedTuple):
    """A claim, what became of it, and the numbers in one plain sentence."""

    figure: str
    claim: Claim
    result: Result
    sentence: str
    rule: str  # the rule in words


class Rule(NamedTuple):
    """How a kind of claim is judged, in words and in code."""

    words: str  # with {low}, {high}, {first} and {second} to fill in
    decide: Callable[[Claim, Experiment, Analysis], tuple[Result, str]]


def judge(experiment: Experiment, analysis: Analysis | None) -> list[Verdict]:
    """Return the verdict on each claim about one figure; without an analysis, not judged."""
    verdicts = []
    for claim in experiment.claims:
        rule = RULES[claim.rule]
        first, second = experiment.policies
        words = rule.words.format(low=claim.low, high=claim.high, first=first, second=second)
        if analysis is None:
            result, sentence = Result.UNKNOWN, "No replication was finished."
        else:
            result, sentence = rule.decide(claim, experiment, analysis)
            if not analysis.has_intervals:
                sentence += (
                    " Some horizon has one replication only, so there is no interval and the"
                    " verdict cannot take chance into account."
                )
        verdicts.append(Verdict(experiment.name, claim, result, sentence, words))
    return verdicts


def result_of_slope(slope: Estimate, exponent: float, tolerance: float) -> Result:
    """Return whether a slope lies near theory's exponent, or at least not above it."""
    low, high = slope.span
    if exponent - tolerance <= low and high <= exponent + tolerance:
        return Result.HOLDS
    # The exponents belong to upper bounds: growing more slowly does not contradict them.
    return Result.IN_PART if low < exponent + tolerance else Result.FAILS


def _decide_share(claim: Claim, experiment: Experiment, analysis: Analysis) -> tuple[Result, str]:
    first, second = experiment.policies
    low, high = analysis.overall_ratio.span
    if low <= claim.high and high >= claim.low:
        result = Result.HOLDS
    elif all(ratio.span[1] < 1.0 for ratio in analysis.ratios):
        result = Result.IN_PART
    else:
        result = Result.FAILS
    sentence = (
        f"{first}'s regret is {_percent(analysis.overall_ratio)} of {second}'s"
        f" (geometric mean over {_count(analysis.horizons)}), from"
        f" {_range(analysis.ratios)} at single horizons."
    )
    if result is Result.IN_PART:
        way = "smaller" if analysis.overall_ratio.value < claim.low else "larger"
        sentence += f" {first} does have less regret at every horizon, but the share is {way} than the paper says."
    return result, sentence


def _decide_much_smaller(
    claim: Claim, experiment: Experiment, analysis: Analysis
) -> tuple[Result, str]:
    first, second = experiment.policies
    if all(ratio.span[1] < claim.high for ratio in analysis.ratios):
        result = Result.HOLDS
    elif analysis.overall_ratio.span[1] < 1.0:
        result = Result.IN_PART
    else:
        result = Result.FAILS
    sentence = (
        f"{first}'s regret is {_percent(analysis.overall_ratio)} of {second}'s"
        f" (geometric mean over {_count(analysis.horizons)}), from"
        f" {_range(analysis.ratios)} at single horizons."
    )
    return result, sentence


def _decide_slopes(claim: Claim, experiment: Experiment, analysis: Analysis) -> tuple[Result, str]:
    results, parts = [], []
    for policy in experiment.policies:
        slope, exponent = analysis.slopes[policy], experiment.exponent(policy)
        if slope is None:
            return Result.UNKNOWN, "A slope needs results at two horizons at least."
        result = result_of_slope(slope, exponent, claim.high)
        results.append(result)
        parts.append(
            f"{policy} grows as T to the {_number(slope)} where theory has {exponent:.3f}"
            f" ({result.value})"
        )
    return _combined(results), "; ".join(parts) + "."


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


RULES = {
    "share": Rule(
        "Holds if the 95% interval of the overall ratio {first} / {second} meets"
        " [{low:g}, {high:g}]. Holds in part if {first} has less regret at every horizon (the whole"
        " interval of each ratio is below 1). Otherwise it does not hold.",
        _decide_share,
    ),
    "much-smaller": Rule(
        "“Much smaller” is read as at most {high:.0%}. Holds if the 95% interval of the ratio"
        " {first} / {second} is below {high:g} at every horizon. Holds in part if the interval of"
        " the overall ratio is below 1. Otherwise it does not hold.",
        _decide_much_smaller,
    ),
    "slopes": Rule(
        "A policy's slope holds if its 95% interval lies within {high:g} of theory's exponent, and"
        " in part if the interval is not wholly above the exponent plus {high:g} (the exponents belong to upper"
        " bounds). The claim holds if both do, does not hold if neither does even in part, and"
        " holds in part otherwise.",
        _decide_slopes,
    ),
}
