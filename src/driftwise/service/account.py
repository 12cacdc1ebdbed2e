"""What a service would do with a problem file, in words: `driftwise serve --check`."""

from __future__ import annotations

from .learner import Learner
from .problem.settings import Problem

__all__ = ["account_of"]


def account_of(problem: Problem, log: str) -> dict[str, str]:
    """Return what is decided, how, and where it is kept."""
    learner, reward, guards = Learner(problem), problem.reward, problem.guards
    seconds = reward.window / 1e6
    offers = f"arms {', '.join(problem.arms)}" if problem.arms else "actions of each request"
    rows = f"rows of {problem.dimension} numbers"
    if learner.plays_arms:
        rows = "no features: the policy plays arms"
    elif learner.fixed is not None:
        rows += ", the same for each decision"
    default = "nothing is learnt" if reward.default is None else f"{reward.default:g} is learnt"
    late = ", late ones are learnt" if reward.learns_late else ""
    fallback = "none"
    if guards.fallback is not None:
        fallback = problem.arms[guards.fallback] if problem.arms else f"row {guards.fallback}"
    shares = {
        problem.arms[arm] if problem.arms else arm: share
        for arm, share in guards.largest_share.items()
    }
    return {
        "problem": problem.name,
        "chooses": f"{offers}; {rows}",
        "policy": repr(problem.policy),
        "reward": f"{reward.rule}, the {reward.join} counts; after {seconds:g} s "
        f"without one {default}{late}",
        "exploration": f"any in {problem.share:g} of decisions",
        "fallback": fallback,
        "shares": f"at most {shares} of {guards.over} decisions" if shares else "not bounded",
        "keeps": ("all rows" if problem.log.rows else "the chosen row")
        + (" and the context" if problem.log.context else ""),
        "log": log,
    }
