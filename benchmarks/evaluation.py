"""How honest evaluations are, measured on logs of worlds that are known: writes docs/evaluation-measured.md.

`make evaluation` runs it: some minutes. Every number on that page comes from here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import driftwise as dw
from benchmarks.moving_logs import Moving, arms_log, as_log, linear_log
from driftwise.core.randomness import draws
from driftwise.evaluation.arrivals import arrivals_of, scoring_of
from driftwise.evaluation.scoring import evaluated, one_hot
from driftwise.evaluation.walking import ADVICE, REPLAY, SHARE, walk
from driftwise.policies.exploring import EXPLORES

PAGE = Path(__file__).parents[1] / "docs" / "evaluation-measured.md"
WORLDS = ("rotating", "switching", "walk", "stationary")
WINDOWS = (50, 200, 800, 4000)
N_LOGS = 20  # of each world
N_ARM_LOGS = 300


def main() -> None:
    """Measure everything and write the page."""
    page = "\n".join(
        [
            "# Evaluations, held to the truth",
            "",
            "Evaluations of logs whose world is known, so that they can be held to the truth. This page is",
            "written by `make evaluation`; every log has a seed.",
            "",
            *estimators(),
            *learners(),
            *gains(),
            *propensities(),
            *lateness(),
        ]
    )
    PAGE.write_text(page, "utf-8")


def estimators(n_logs: int = N_ARM_LOGS) -> list[str]:
    """Return how often intervals and bands hold: four arms whose means wave, a target that lags behind."""
    names = ("dr", "ips", "snips", "switch", "dros")
    errors: dict[str, list[float]] = {name: [] for name in names}
    hits, widths = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
    wrong = naive = 0
    for seed in range(n_logs):
        moving = arms_log(seed, n=1500)
        n = len(moving.events)
        lagging = moving.means[np.maximum(np.arange(n) - 60, 0)].argmax(axis=1)
        values = moving.means[np.arange(n), lagging]
        prepared = moving.prepared(bounds=(0.0, 1.0))
        for name in names:
            found = evaluated("", prepared, one_hot(lagging, 4), "", estimator=name)
            errors[name].append(found.value - values.mean())
            hits[name] += bool(found.low <= values.mean() <= found.high)
            widths[name] += (found.high - found.low) / n_logs
            if name == "dr" and found.sequence is not None and found.outcomes is not None:
                band, at = found.sequence, found.sequence.events >= 100
                target = (np.cumsum(values) / np.arange(1, n + 1))[band.events - 1]
                wrong += bool(((target < band.low) | (target > band.high))[at].any())
                spread = np.array([found.outcomes[:m].std() / math.sqrt(m) for m in band.events])
                naive += bool((np.abs(target - band.value) > 1.96 * spread)[at].any())
    rows = [
        (
            name,
            "none" if name in ("switch", "dros") else f"{hits[name] / n_logs:.3f}",
            "none" if name in ("switch", "dros") else f"{widths[name]:.3f}",
            f"{np.mean(errors[name]):+.3f}",
            f"{np.sqrt(np.mean(np.square(errors[name]))):.3f}",
        )
        for name in names
    ]
    return [
        "## Fixed targets",
        "",
        f"Four arms whose means wave, a logger that lags and explores in 30 % of events, a target that lags; {n_logs}",
        "logs of 1,500 events. Coverage is that of 95 % intervals; `switch` and `dros` have none.",
        "",
        *table(("estimator", "coverage", "mean width", "bias", "rmse"), rows),
        "",
        f"Bands for many looks were ever wrong after event 100 in {wrong / n_logs:.3f} of these logs; an interval for one",
        f"look, looked at all the time, in {naive / n_logs:.3f}.",
        "",
    ]


def truth(moving: Moving, policies: dict[str, Any], plays: int = 3) -> dict[str, float]:
    """Return what policies earn in the world that the log is a log of, noise drawn anew."""
    totals = dict.fromkeys(policies, 0.0)
    n, best = len(moving.means), moving.means.max(axis=1).sum()
    for seed in range(plays):
        noise = 0.5 * np.random.default_rng(seed).standard_normal((n, 1))
        world = dw.worlds.Recorded(
            decision_sets=moving.events.actions, rewards=moving.means + noise, means=moving.means
        )
        for name, policy in policies.items():
            regret = dw.simulate(policy, world, seed=seed).total_regret
            totals[name] += float(best - regret) / n / plays
    return totals


def learners() -> list[str]:
    """Return how far each evaluation of a learner is from the truth with all traffic."""
    rows = [row for kind in WORLDS for row in learner_rows(kind)]
    return [
        "## Policies that learn, against the truth with all of the traffic",
        "",
        "SlidingWindowUCB, four features, five fresh actions an event, 4,000 events, noise .5, choices by chance;",
        f"{N_LOGS} logs of each world. *True* is the mean reward of an event, what stands behind it are mean errors.",
        "`advice` and `share` are unbiased for values of their own; here they stand in.",
        "",
        *table(
            ("world", "window", "true", "plain replay", "share", "advice", "posterior worlds"), rows
        ),
        "",
    ]


def learner_rows(kind: str, windows: Sequence[int] = WINDOWS) -> list[tuple[str, ...]]:
    """Return what is said of one world, and of each window."""
    policies: dict[str, Any] = {str(w): dw.SlidingWindowUCB(window=w, noise=0.5) for w in windows}
    true, told = [], {name: list[list[float]]() for name in ("replay", "share", "advice", "all")}
    for seed in range(N_LOGS):
        moving = linear_log(seed, kind)
        real = truth(moving, policies)
        true.append(list(real.values()))
        worlds = dw.evaluation.all_traffic(as_log(moving), policies, draws=4, seed=seed)
        told["all"].append([worlds[name].value - real[name] for name in policies])
        for name, how in (("replay", REPLAY), ("share", SHARE), ("advice", ADVICE)):
            told[name].append(
                [_walked(moving, policy, how, seed) - real[w] for w, policy in policies.items()]
            )
    rows = []
    means = np.mean([true, *told.values()], axis=1)  # (5, windows)
    for window, (real_mean, *misses) in zip(windows, means.T, strict=True):
        told_misses = (f"{round(miss, 2) + 0.0:+.2f}" for miss in misses)  # no -0.00
        rows.append((kind, str(window), f"{real_mean:.2f}", *told_misses))
    return rows


def _walked(moving: Moving, policy: Any, how: int, seed: int) -> float:
    walked = walk(policy, moving.events, how, 0.2, seed=seed)
    if how == REPLAY:
        return float(moving.events.reward[walked.is_learnt].mean())
    return evaluated("", moving.prepared(), walked.probabilities, "").value


def gains(n_logs: int = 60) -> list[str]:
    """Return how often forgetting is said to pay."""
    rows = []
    for kind in WORLDS:
        found = [
            dw.evaluation.forgetting(as_log(linear_log(seed, kind, n=2000)))
            for seed in range(n_logs)
        ]
        shares = (
            np.mean([getattr(one, name).pays for one in found])
            for name in ("forecast", "contrasts", "decisions")
        )
        rows.append((kind, *(f"{share:.2f}" for share in shares)))
    return [
        "## Does forgetting pay?",
        "",
        f"In what share of {n_logs} logs of 2,000 events of each world it is said to pay.",
        "",
        *table(("world", "forecasts", "contrasts", "decisions"), rows),
        "",
    ]


def propensities(n: int = 40_000) -> list[str]:
    """Return what weighted rewards of one arm say of its mean, by propensities right and wrong."""
    means, target, share = (0.2, 0.7, 0.5), 2, 0.2
    found = {n_draws: _weighted(n, n_draws, means, target, share) for n_draws in (1, 8, 32)}
    rows = [
        (f"of Exploring, draws={n_draws}", f"{one[0].mean():.3f}", f"{one[0].std():.2f}")
        for n_draws, one in found.items()
    ]
    _, by_branch, given_branch = found[1]
    rows.append(("wrong: of the branch that played", f"{by_branch.mean():.3f}", "-"))
    rows.append(("wrong: given the branch", f"{given_branch.mean():.3f}", "-"))
    return [
        "## Propensities",
        "",
        f"DiscountedLinTS inside of Exploring with a share of {share:g}; three arms with rates of .2, .7 and .5; {n:,}",
        "events. What rewards over propensities say of the third arm, whose rate is .5.",
        "",
        *table(("propensity", "mean", "standard deviation of an event"), rows),
        "",
    ]


def _weighted(
    n: int, n_draws: int, means: Sequence[float], target: int, share: float
) -> NDArray[np.float64]:
    thompson = dw.DiscountedLinTS(discount=0.98, noise=0.5)  # forgets, so goes on trying all arms
    agent = dw.Agent(dw.Exploring(thompson, share=share, draws=n_draws), n_arms=len(means), seed=1)
    dice = np.random.default_rng(0).random(n)
    right, by_branch, given_branch = weighted = np.zeros((3, n))
    for t in range(n):
        decision = agent.choose()
        reward = float(dice[t] < means[decision.arm])
        agent.learn(decision, reward)
        if decision.arm == target:
            has_explored = draws.uniform(decision.luck, EXPLORES) < share
            right[t] = reward / decision.propensity
            by_branch[t] = reward / (share / len(means) if has_explored else 1.0 - share)
            given_branch[t] = reward / (1.0 / len(means) if has_explored else 1.0)
    return weighted


def lateness(n_logs: int = 100) -> list[str]:
    """Return what three treatments of rewards that have not come say of a rate that stands still."""
    n, last, rate, mean_delay, wait = 6000, 500, 0.3, 200.0, 2000.0
    said = np.zeros((3, n_logs))
    for seed in range(n_logs):
        random = np.random.default_rng(seed)
        time = np.arange(n, dtype=float)
        due = time + random.exponential(mean_delay, n)
        reward = np.where(due < n, (random.random(n) < rate).astype(float), np.nan)
        arrivals = arrivals_of(reward, time, np.where(due < n, due, np.nan))
        zero = np.nan_to_num(reward)
        corrected = scoring_of(reward, arrivals, wait, "corrected")
        matured = scoring_of(reward, arrivals, wait, "matured").is_scored
        scored = corrected.is_scored[-last:]
        said[:, seed] = (
            zero[-last:].mean(),
            (zero * corrected.arrival)[-last:][scored].mean(),
            reward[matured][-last:].mean(),
        )
    names = ("unarrived taken for zero", 'late="corrected"', 'late="matured", the last that are')
    rows = [
        (name, f"{each.mean():.3f}", f"{each.std():.3f}")
        for name, each in zip(names, said, strict=True)
    ]
    return [
        "## Late rewards",
        "",
        f"A rate of {rate:g} that stands still, rewards {mean_delay:g} rounds late on average, {n_logs} logs. What the last",
        f"{last} events say of the rate: taken for zero, what has not come looks like a fall.",
        "",
        *table(("how", "mean", "standard deviation of a log"), rows),
        "",
    ]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


if __name__ == "__main__":
    main()
