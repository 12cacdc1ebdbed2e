"""A declaration that grew knows where the old columns went."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from driftwise.features import Category, Constant, Cycle, Encoder, Flag, Number, PerAction
from tests.features.declarations import Case, cases, few

BEFORE: dict[str, Any] = {
    "context": {"hour": Cycle(24), "segment": Category(["new", "old"])},
    "action": {"price": Number(5, 20)},
    "cross": [("action.price", "context.segment")],
    "per_action": PerAction(["context.segment"], ["blue"], 1),
}
AFTER: dict[str, Any] = {
    "context": {"day": Cycle(7), "segment": Category(["gold", "old", "new"]), "hour": Cycle(24)},
    "action": {"price": Number(5, 20, missing="own column"), "sale": Flag()},
    "cross": [("action.price", "context.hour"), ("action.price", "context.segment")],
    "per_action": PerAction(["context.hour", "context.segment"], ["blue", "red"], 4),
}


def test_old_columns_go_on_in_the_new_rows() -> None:
    old, new = Encoder(**BEFORE), Encoder(**AFTER)
    columns, factor = old.extension(new)
    assert len(set(columns.tolist())) == old.dimension
    context = {"hour": 3, "segment": "old", "day": 2}
    actions = {"blue": {"price": 7, "sale": True}}
    np.testing.assert_allclose(
        old.rows(context, actions), factor * new.rows(context, actions)[:, columns], rtol=1e-14
    )
    assert factor == pytest.approx(np.sqrt(9 / 5))


@given(cases())
@few
def test_an_estimate_goes_on_predicting_the_same(case: Case) -> None:
    old = case.encoder
    wider = case.declared | {"blocks": 40}
    wider["action"] = {"a new field": Flag()} | case.declared["action"]
    new = Encoder(**wider)
    columns, factor = old.extension(new)
    estimate = np.random.default_rng(0).normal(size=old.dimension)
    grown = np.zeros(new.dimension)
    grown[columns] = factor * estimate
    actions = {name: {"a new field": True} | each for name, each in case.actions.items()}
    np.testing.assert_allclose(
        new.rows(case.context, actions) @ grown,
        old.rows(case.context, case.actions) @ estimate,
        rtol=0,
        atol=1e-9,
    )


def test_room_for_more_blocks_leaves_columns_as_they_are() -> None:
    old, new = Encoder(**BEFORE, blocks=12), Encoder(**AFTER, blocks=12)
    assert old.extension(new).factor == 1.0


def test_what_may_be_missing_stays_so() -> None:
    whole = AFTER["action"] | {"price": Number(5, 20)}
    with pytest.raises(ValueError, match=r"action\.price missing must stay a column"):
        Encoder(**AFTER).extension(Encoder(**(AFTER | {"action": whole})))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"context": {"hour": Cycle(24)}, "cross": [], "per_action": None}, r"context\.segment must stay"),
        ({"action": {"price": Number(5, 30)}}, r"action\.price must stay as it was, .*30.* after .*20"),
        ({"action": {"price": Constant()}}, r"action\.price must stay as it was"),
        ({"context": BEFORE["context"] | {"hour": Cycle(24, 2)}}, r"context\.hour must stay as it was"),
        ({"context": BEFORE["context"] | {"segment": Category(["new", "gold"])}}, "context.segment=old must stay a column"),
        ({"context": BEFORE["context"] | {"hour": Cycle(24, alone=False)}}, "context.hour sin 1 must stay a column"),
        ({"cross": []}, r"action\.price\*context\.segment=new must stay a column"),
        ({"per_action": None}, "place 0: context.segment=new must stay a column"),
        ({"per_action": PerAction(["context.segment"], ["red", "blue"])}, r"per_action\.names must begin with"),
    ],
)  # fmt: skip
def test_what_was_learnt_must_have_somewhere_to_go(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Encoder(**BEFORE).extension(Encoder(**(BEFORE | change)))
