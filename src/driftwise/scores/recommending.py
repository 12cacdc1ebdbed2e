"""From what a person knows to a policy, and why, in the numbers of the published scoreboard."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from .. import policies
from ..core.base.errors import RuleValueError
from ..core.base.showing import html_of, plain_number, settings_text
from ..core.base.validation import require_integer, require_known, require_number
from ..registry import find_policy
from .board import Actions, Kind, Rewards, Score, Scoreboard
from .record import published_record

__all__ = ["PROVED", "Option", "Recommendation", "recommend"]

# Whose regret is bounded while the world drifts; the bounds of some are for rewards within a range.
_PROVED_FOR_AMOUNTS = (
    "BanditOverBandit", "DiscountedLinUCB", "Doubling", "HedgingArmsUCB", "RestartUCB", "SlidingWindowUCB", "WeightedUCB",
)  # fmt: skip
_PROVED_FOR_CLICKS = (
    "AdSwitch", "DiscountedArmsUCB", "Exp3S", "GLRUCB", "RerunUCBV", "Rexp3", "SlidingWindowArmsUCB",
    "SlidingWindowBetaTS",
)  # fmt: skip
# The policies with a proved bound while the world drifts, by kind of rewards.
PROVED: Mapping[Rewards, tuple[str, ...]] = {
    "amounts": _PROVED_FOR_AMOUNTS,
    "clicks": (*_PROVED_FOR_AMOUNTS, *_PROVED_FOR_CLICKS),
}
_FEWEST = 4  # scenarios, below which their mean tells little
_ALTERNATIVES = 3
_NOISE_OF_CLICKS = 0.5  # Hoeffding's lemma
_HELPFUL = ("variation", "n_changes", "parameter_norm")  # what `tuned` takes, and can do without
_WORDS: Mapping[str | bool, str] = {
    "arms": "the same actions in every round", "features": "actions that change",
    "amounts": "rewards that are amounts", "clicks": "rewards that are clicks",
    False: "rewards that come at once", True: "rewards that come late",
}  # fmt: skip


@dataclass(frozen=True)
class Option:
    """A policy that is ready to play, and its regret over that of the best window in hindsight."""

    name: str
    policy: Any
    told: str  # what it was told on the scoreboard
    untold: tuple[str, ...]  # of that, what is not known here and left to its defaults
    guarantee: str
    geometric_mean: float
    low: float  # the mean, two standard errors less
    high: float  # and two more
    worst: float
    worst_scenario: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, the policy by its settings."""
        return {**asdict(self), "policy": repr(self.policy)}


@dataclass(frozen=True, repr=False)
class Recommendation:
    """A policy for a person's case, why it, and who else comes into question."""

    best: Option
    why: tuple[str, ...]  # sentences
    alternatives: tuple[Option, ...]  # by their scores; one with a guarantee, if there is one
    scenarios: tuple[str, ...]  # of the scoreboard, by which they were compared

    @property
    def policy(self) -> Any:
        """The policy, with its settings: ready for an `Agent`, or for `simulate`."""
        return self.best.policy

    def __repr__(self) -> str:
        return "\n".join([settings_text(self.policy), *self.why])

    def _repr_html_(self) -> str:
        facts = [("why", each) for each in self.why]
        options = (self.best, *self.alternatives)
        rows = [
            [settings_text(each.policy), *map(plain_number, (each.geometric_mean, each.worst))]
            for each in options
        ]
        return html_of(settings_text(self.policy), facts, ["policy", "mean", "worst"], rows)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return {
            **self.best.as_dict(),
            "why": list(self.why),
            "alternatives": [each.as_dict() for each in self.alternatives],
            "scenarios": list(self.scenarios),
        }


def recommend(
    *,
    n_arms: int | None = None,
    dimension: int | None = None,
    rewards: Rewards = "amounts",
    is_late: bool = False,
    needs_guarantee: bool = False,
    horizon: int | None = None,
    noise: float | None = None,
    variation: float | None = None,
    n_changes: int | None = None,
    parameter_norm: float | None = None,
) -> Recommendation:
    """Return a policy with its settings for what is known, and why, by the published scoreboard.

    The policies that can be tuned with what is known are ranked by their mean score in the
    scenarios of the scoreboard that are like the case. The best is that of those which were told
    least there that is not known here; an alternative may have a better score, with more knowledge.

    Parameters
    ----------
    n_arms
        How many actions there are, if they are the same in every round.
    dimension
        The length of an action, instead of ``n_arms``, if actions change from round to round.
    rewards
        ``"clicks"`` if each is 0 or 1, otherwise ``"amounts"``.
    is_late
        Whether rewards come after later decisions, or some never.
    needs_guarantee
        Whether its regret must have a proved bound under drift.
    horizon, noise, variation, n_changes, parameter_norm
        What else is known, by the names that policies are tuned with: the number of rounds, the
        scale of the noise, how far the parameter moves in total, how often it jumps, the bound
        on it. Policies that must be told more than that do not come into question.

    Examples
    --------
    >>> import driftwise as dw
    >>> found = dw.recommend(n_arms=3, horizon=10_000, noise=0.1, needs_guarantee=True)
    >>> found.best.name in dw.scores.PROVED["amounts"]
    True
    >>> agent = dw.Agent(found.policy, n_arms=3)
    """
    kind = Kind(_actions(n_arms, dimension), _rewards(rewards), bool(is_late))
    known = {
        "n_arms": n_arms,
        "dimension": dimension or n_arms,
        "horizon": None if horizon is None else require_integer("horizon", horizon, unit="round"),
        "noise": _NOISE_OF_CLICKS if noise is None and rewards == "clicks" else noise,
        "variation": variation,
        "n_changes": n_changes,
        "parameter_norm": parameter_norm,
        "geometry": "orthogonal" if kind.actions == "arms" else "general",
    }
    if n_changes is not None:
        require_integer("n_changes", n_changes, at_least=0)
    for name in ("noise", "variation", "parameter_norm"):
        if known[name] is not None:
            require_number(name, known[name], at_least=0.0)
    facts = {name: value for name, value in known.items() if value is not None}
    record = published_record()
    like, n_shared = _scenarios_like(record.headline.board, kind)
    options = list(_options(like, facts))
    proved = [option for option in options if option.name in PROVED[kind.rewards]]
    if needs_guarantee and not proved:
        raise RuleValueError("noise", "be given for a policy with a guarantee", None, "none")
    ranked = proved if needs_guarantee else options
    # A score that others' knowledge has earned is no promise to those who lack it.
    best = min(ranked, key=lambda option: (len(option.untold), option.geometric_mean))
    alternatives = [each for each in ranked if each is not best][:_ALTERNATIVES]
    if not any(each in proved for each in (best, *alternatives)):
        alternatives += proved[:1]
    why = _why(best, like, kind, n_shared, needs_guarantee=needs_guarantee)
    made = record.headline
    source = (
        f"Scoreboard of {record.date}: {made.board.origin}, {made.replications} replications each."
    )
    return Recommendation(best, (*why, source), tuple(alternatives), tuple(like.scenarios))


def _actions(n_arms: int | None, dimension: int | None) -> Actions:
    if (n_arms is None) == (dimension is None):
        raise RuleValueError(
            "n_arms",
            "be given, or dimension if actions change, and not both",
            n_arms,
            f"{n_arms} and {dimension}",
        )
    if n_arms is not None:
        require_integer("n_arms", n_arms)
        return "arms"
    require_integer("dimension", dimension)
    return "features"


def _rewards(rewards: Rewards) -> Rewards:
    require_known("rewards", rewards, get_args(Rewards))
    return rewards


def _scenarios_like(board: Scoreboard, kind: Kind) -> tuple[Scoreboard, int]:
    """Return the scenarios that are like a case, and how many fields of its kind they share."""
    for n_shared in range(len(kind), 0, -1):
        found = [each for each, own in board.kinds.items() if own[:n_shared] == kind[:n_shared]]
        if len(found) >= _FEWEST:
            break
    return board.among(found), n_shared


def _options(board: Scoreboard, facts: Mapping[str, Any]) -> Iterator[Option]:
    """Yield the policies that can be tuned with some facts, the best first."""
    comparator = board.comparators[0]
    for label in board.ranked(comparator):
        if label not in policies.__all__ or not board.plays_everywhere(label):
            continue  # some labels are those of other settings than `tuned` makes
        cls = find_policy(label)
        tunable = inspect.signature(cls.tuned).parameters
        needed = [name for name, each in tunable.items() if each.default is each.empty]
        if all(name in facts for name in needed):
            policy = cls.tuned(**{name: facts[name] for name in tunable if name in facts})
            own: Score = board.scores[label][comparator]
            yield Option(
                name=label,
                policy=policy,
                told=board.told[label],
                untold=tuple(name for name in _HELPFUL if name in tunable and name not in facts),
                guarantee=cls.card.guarantee,
                geometric_mean=own.geometric_mean,
                low=own.low,
                high=own.high,
                worst=own.worst,
                worst_scenario=own.worst_scenario,
            )


def _why(
    best: Option,
    like: Scoreboard,
    kind: Kind,
    n_shared: int,
    *,
    needs_guarantee: bool,
) -> Iterator[str]:
    """Yield a sentence for each thing that a person should know before believing it."""
    words = [_WORDS[each] for each in kind]
    rivals = "the policies with a guarantee" if needs_guarantee else "the policies"
    told = "hardly more than you know" if best.untold else "no more than you know"
    yield (
        f"Of {rivals} that were told {told}, {best.name} has the least regret in"
        f" the {len(like.scenarios)} scenarios of the scoreboard with {' and '.join(words[:n_shared])}."
    )
    yield (
        f"It is {best.geometric_mean:.2f} times that of the {like.comparators[0]} in hindsight in the"
        f" geometric mean ({best.low:.2f} to {best.high:.2f} with two standard errors), and at worst"
        f" {best.worst:.2f} times, in “{best.worst_scenario}”."
    )
    if n_shared < len(kind):
        yield f"The scoreboard has too few scenarios that also have {' and '.join(words[n_shared:])}."
    # What some can be told but need not be, they were not told there.
    needs_nothing = best.told.partition(";")[0] == "nothing"
    it_knew = " nothing in advance" if needs_nothing else f", in advance: {best.told}"
    yield f"On the scoreboard it was told{it_knew}."
    if best.untold:
        yield (
            f"Left to its defaults here: {', '.join(best.untold)}. Scores, and guarantees, are for"
            " policies that are told."
        )
    yield f"Guarantee: {best.guarantee}."
    if needs_guarantee and kind.is_late:
        yield "What is proved is proved for rewards that come at once."
