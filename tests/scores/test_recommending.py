"""What is recommended: policies that can be made, with the numbers of the record and no others."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import driftwise as dw
from driftwise.registry import find_policy
from driftwise.scores import PROVED, published_record, recommend
from driftwise.scores.board import Kind, geometric_mean, scoreboard_of

FACTS: dict[str, Any] = {
    "horizon": 1000, "noise": 0.1, "variation": 1.0, "n_changes": 2, "parameter_norm": 1.0,
}  # fmt: skip
CASES = list(itertools.product(["arms", "features"], ["amounts", "clicks"], [False, True]))


def knowing(actions: str, **facts: Any) -> dict[str, Any]:
    return {"n_arms" if actions == "arms" else "dimension": 3, **facts}


@pytest.mark.parametrize(("actions", "rewards", "is_late"), CASES)
@pytest.mark.parametrize("facts", [{}, FACTS], ids=["nothing", "all"])
@pytest.mark.parametrize("needs_guarantee", [False, True])
def test_every_answer_can_be_played(
    actions: str, rewards: Any, is_late: bool, facts: dict[str, Any], needs_guarantee: bool
) -> None:
    case = knowing(actions, rewards=rewards, is_late=is_late, **facts)
    if needs_guarantee and not facts and rewards == "amounts":
        with pytest.raises(ValueError, match="noise must be given for a policy with a guarantee"):
            recommend(**case, needs_guarantee=True)
        return
    found = recommend(**case, needs_guarantee=needs_guarantee)
    board = published_record().headline.board
    for option in (found.best, *found.alternatives):
        assert type(option.policy) is find_policy(option.name)
        own = board.scores[option.name][board.comparators[0]].ratios
        ratios = [own[each] for each in found.scenarios if each in own]
        assert (option.geometric_mean, option.low, option.high) == geometric_mean(ratios)
        assert option.worst == max(ratios) == own[option.worst_scenario]
        assert dw.Agent(option.policy, **knowing(actions), is_interpreted=True).choose(
            None if actions == "arms" else [[0.1, 0.2, 0.3]]
        )
        if needs_guarantee:
            assert option.name in PROVED[rewards]
    means = [each.geometric_mean for each in found.alternatives]
    assert means == sorted(means)
    for other in found.alternatives:
        assert len(other.untold) >= len(found.best.untold)
        if other.geometric_mean < found.best.geometric_mean:
            assert len(other.untold) > len(found.best.untold), (
                "its score is for those who know more"
            )
    assert (f"Left to its defaults here: {', '.join(found.best.untold)}." in str(found)) == bool(
        found.best.untold
    )
    assert found.policy is found.best.policy
    assert f"{found.best.geometric_mean:.2f}" in str(found)
    assert any("come at once" in each for each in found.why) or not (needs_guarantee and is_late)


@pytest.mark.parametrize("actions", ["arms", "features"])
def test_a_guarantee_needs_no_horizon(actions: str) -> None:
    found = recommend(**knowing(actions, noise=0.1), needs_guarantee=True)
    assert isinstance(found.policy, dw.Doubling)


@pytest.mark.parametrize("n_changes", [-1, 2.5])
def test_changes_are_counted(n_changes: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="n_changes must be"):
        recommend(n_arms=3, n_changes=n_changes)


def test_an_answer_shows_itself() -> None:
    found = recommend(n_arms=3, **FACTS)
    shown = repr(found).splitlines()
    assert shown == [f"{found.best.name}({shown[0].partition('(')[2]}", *found.why]
    assert "slowest_drift" not in repr(recommend(n_arms=3)), "settings that are the defaults"
    page = found._repr_html_()
    assert page.count("<tr><td>") == 1 + len(found.alternatives)
    assert all(option.name in page for option in found.alternatives)


def test_what_it_was_told_on_the_scoreboard_is_said() -> None:
    assert "On the scoreboard it was told nothing in advance." in recommend(n_arms=3).why
    (said,) = (
        each
        for each in recommend(n_arms=3, **FACTS, needs_guarantee=True).why
        if "was told" in each and "scoreboard" in each
    )
    assert said.startswith("On the scoreboard it was told, in advance: noise")


def test_who_is_said_to_have_a_proof_has_one_on_the_card() -> None:
    for name in PROVED["clicks"]:
        guarantee = find_policy(name).card.guarantee
        assert not guarantee.startswith(("none", "claimed")), name
        assert "none under drift" not in guarantee
        assert "nothing changes" not in guarantee


def test_a_case_is_compared_in_scenarios_like_it() -> None:
    kinds = published_record().headline.board.kinds
    found = recommend(n_arms=5)
    assert found.scenarios == tuple(
        each for each, kind in kinds.items() if kind == ("arms", "amounts", False)
    )
    # Where there are too few, the last thing that was said counts no more, and that is told.
    rare = [kind for kind in set(kinds.values()) if list(kinds.values()).count(kind) < 4]
    for kind in rare:
        case = knowing(kind.actions, rewards=kind.rewards, is_late=kind.is_late)
        assert any("too few scenarios" in each for each in recommend(**case).why)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({}, "n_arms must be given, or dimension if actions change, and not both, got None"),
        ({"n_arms": 2, "dimension": 2}, "and not both, got 2 and 2"),
        ({"n_arms": 0}, "n_arms must be at least 1, got 0"),
        ({"n_arms": 2, "rewards": "click"}, "did you mean 'clicks'"),
        ({"n_arms": 2, "horizon": 0}, "horizon must be at least 1 round, got 0"),
        ({"n_arms": 2, "noise": -1.0}, "noise must be at least 0"),
    ],
)
def test_what_is_wrong_is_named(case: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recommend(**case)


def test_a_part_of_a_scoreboard_is_a_scoreboard() -> None:
    families = {"a": "x", "b": "x", "c": "y"}
    kinds = dict.fromkeys(families, Kind("arms", "amounts", is_late=False))
    ratios = {"P": {"best": {"a": 1.0, "b": 4.0, "c": 9.0}}, "Q": {"best": {"c": 1.0}}}
    board = scoreboard_of(families, ["best"], ratios, {"P": "", "Q": ""}, 7, kinds)
    part = board.among({"a", "b"})
    assert list(part.scores) == ["P"], "the other cannot play there"
    assert (part.families, part.fuzz) == (("x",), 7)
    own = part.scores["P"]["best"]
    # Logarithms 0 and ln 4: the mean is ln 2, and so is a standard error.
    assert own.geometric_mean == pytest.approx(2.0)
    assert (own.low, own.high) == pytest.approx((0.5, 8.0))
    assert board.among(families).scores["P"] == board.scores["P"]


def test_one_scenario_has_no_interval() -> None:
    mean, low, high = geometric_mean([3.0])
    assert mean == pytest.approx(3.0)
    assert math.isnan(low)
    assert math.isnan(high)
