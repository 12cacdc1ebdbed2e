"""Named actions come and go, and no place is left to a successor unnoticed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwise.features import Constant, Encoder, Holding, Number, PerAction, Roster
from tests.features.declarations import many

NAMES = st.sampled_from(["ant", "bee", "cow", "dog", "eel"])


@given(st.lists(st.tuples(st.sampled_from(["admit", "forget"]), NAMES), max_size=40))
@many
def test_a_roster_does_what_a_list_of_who_was_where_says(steps: list[tuple[str, str]]) -> None:
    roster = Roster(3)
    history: list[list[str]] = [[], [], []]  # of each place: all who ever held it
    held: dict[str, int] = {}
    for step, name in steps:
        before = roster.as_dict()
        if step == "admit" and name not in held and len(held) == 3:
            with pytest.raises(
                ValueError, match="places must be at least 4 for these names, got 3"
            ):
                roster.admit([name])
            assert roster.as_dict() == before
        elif step == "admit":
            used = roster.admit([name])
            if name in held:
                assert used == []
            else:
                place = roster.places[name]
                assert place not in held.values()
                assert used == ([place] if history[place] else []), "told to be reset"
                assert history[place] == [] or [] not in history, "fresh places go first"
                history[place].append(name)
                held[name] = place
        elif name in held:
            roster.forget(name)
            del held[name]
        else:
            with pytest.raises(ValueError, match="action must be one of"):
                roster.forget(name)
        assert dict(roster.places) == held
        assert sorted(roster) == sorted(held)
        for each, place in held.items():
            assert roster.holding(each) == (place, len(history[place]) - 1)
        again = Roster.from_dict(json.loads(json.dumps(roster.as_dict())))
        assert again == roster


def test_a_late_reward_can_tell_that_its_place_went_to_another() -> None:
    roster = Roster(1, ["blue"])
    holding = roster.holding("blue")
    assert roster.is_current(holding)
    roster.forget("blue")
    assert not roster.is_current(holding)
    assert roster.admit(["red"]) == [0]
    assert not roster.is_current(holding)
    roster.forget("red")
    assert roster.admit(["blue"]) == [0], "who returns starts anew"
    assert not roster.is_current(holding)
    assert roster.holding("blue") == Holding(place=0, tenure=2)


def test_all_names_or_none() -> None:
    roster = Roster(3, ["blue"])
    with pytest.raises(ValueError, match="at least 4"):
        roster.admit(["a", "b", "c", "a"])
    with pytest.raises(TypeError, match="names of actions must be strings, got 3"):
        roster.admit(["a", 3])  # type: ignore[list-item]  # on purpose
    assert list(roster) == ["blue"]
    assert "a" not in roster
    assert len(roster) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"free": [0]},
        {"free": []},
        {"free": None},
        {"names": {"a": 0, "b": 0}},
        {"tenures": []},
        {"tenures": [-1, -1]},
        {"tenures": [0, 0.5]},
        {"names": 3},
    ],
)
def test_damaged_data_is_refused(change: dict[str, Any]) -> None:
    sound = Roster(2, ["a"]).as_dict()
    assert Roster.from_dict(sound) == Roster(2, ["a"])
    with pytest.raises(ValueError, match="a roster must have names, free and tenures that agree"):
        Roster.from_dict(sound | change)


def test_rows_go_by_the_roster() -> None:
    encoder = Encoder(
        context={"one": Constant(alone=False)},
        action={"price": Number(0, 1)},
        per_action=PerAction(["context.one"], ["blue", "red"], 2),
        blocks=4,
    )
    roster = encoder.roster()
    roster.forget("blue")
    with pytest.raises(ValueError, match=r"must be one of red, got 'green'"):
        encoder.rows({}, {"green": {"price": 1}}, roster)
    (place,) = roster.admit(["red", "green"])
    rows = encoder.rows({}, {"green": {"price": 1}, "red": {"price": 0.5}}, roster)
    np.testing.assert_array_equal(rows, [[0.5, 0.5, 0.0], [0.0, 0.0, 0.5]])
    assert encoder.columns_of(place) == slice(1, 2)
    np.testing.assert_array_equal(
        encoder.compact_rows({}, {"red": {"price": 1}}, roster).places, [1]
    )
