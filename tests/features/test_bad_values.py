"""What cannot be encoded is named: field, action, rule, value, and the nearest name."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from driftwise.features import (
    Category,
    Constant,
    Cycle,
    Encoder,
    Flag,
    Number,
    PerAction,
    Roster,
)

ENCODER = Encoder(
    context={"hour": Cycle(24), "segment": Category(["new", "old"], unknown="refuse")},
    action={"price": Number(5, 20), "brand": Category(buckets=4), "sale": Flag()},
)
GOOD_CONTEXT: dict[str, Any] = {"hour": 3, "segment": "new"}
GOOD_ACTION: dict[str, Any] = {"price": 9.0, "brand": "acme", "sale": True}


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"hour": "3"}, TypeError, "context.hour must be a number, got '3'"),
        ({"hour": True}, TypeError, "context.hour must be a number, got True"),
        ({"hour": None}, TypeError, "context.hour must be a number, got None"),
        ({"hour": float("nan")}, ValueError, "context.hour must be a finite number, got nan"),
        (
            {"hour": 1e300},
            ValueError,
            "context.hour must not exceed 1e+100 in magnitude, got 1e+300",
        ),
        (
            {"segment": "nwe"},
            ValueError,
            "context.segment must be one of new, old, got 'nwe'; did you mean 'new'?",
        ),
        ({"segment": None}, ValueError, "context.segment must be one of new, old, got None"),
        ({"segment": 1}, ValueError, "context.segment must be one of new, old, got 1"),
        ({"segment": ["new"]}, TypeError, "context.segment must be a string or an integer"),
    ],
)
def test_a_value_of_the_context(change: dict[str, Any], kind: Any, sentence: str) -> None:
    with pytest.raises(kind) as caught:
        ENCODER.rows(GOOD_CONTEXT | change, [GOOD_ACTION])
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("change", "kind", "sentence"),
    [
        ({"price": "cheap"}, TypeError, "action.price must be a number, got 'cheap'"),
        ({"price": np.inf}, ValueError, "action.price must be a finite number, got inf"),
        ({"brand": 2.5}, TypeError, "action.brand must be a string or an integer, got 2.5"),
        ({"brand": True}, TypeError, "action.brand must be a string or an integer, got True"),
        ({"sale": 1}, TypeError, "action.sale must be True or False, got 1"),
    ],
)
def test_a_value_of_one_action_among_others(
    change: dict[str, Any], kind: Any, sentence: str
) -> None:
    bad = GOOD_ACTION | change
    with pytest.raises(kind) as caught:
        ENCODER.rows(GOOD_CONTEXT, {"blue": GOOD_ACTION, "red": bad})
    assert str(caught.value) == f"{sentence} (in action 'red')"
    with pytest.raises(kind) as caught:
        ENCODER.rows(GOOD_CONTEXT, [GOOD_ACTION, bad, GOOD_ACTION])
    assert str(caught.value) == f"{sentence} (in action 2 of 3)"


def test_a_field_that_is_missing_is_named_with_the_nearest() -> None:
    with pytest.raises(
        ValueError, match=r"context must have the field 'hour', got .*'huor'"
    ) as caught:
        ENCODER.rows({"huor": 3, "segment": "new"}, [GOOD_ACTION])
    assert str(caught.value).endswith("; did you mean 'hour' by 'huor'?")
    with pytest.raises(ValueError, match=r"must have the field 'price', got no fields .*2 of 2"):
        ENCODER.rows(GOOD_CONTEXT, [GOOD_ACTION, {}])


@pytest.mark.parametrize("nothing", [None, np.nan, np.float32("nan"), Decimal("nan")])
def test_a_value_that_is_missing(nothing: Any) -> None:
    declare = 'declare missing = "own column" if it may be missing'
    with pytest.raises((TypeError, ValueError), match=rf"^action\.price must be .*; {declare}$"):
        ENCODER.rows(GOOD_CONTEXT, [GOOD_ACTION | {"price": nothing}])
    with pytest.raises(ValueError, match=rf"^context must have the field 'hour', .*; {declare}$"):
        ENCODER.rows({"segment": "new"}, [GOOD_ACTION])
    encoder = Encoder(
        action={
            "price": Number(5, 20, missing="own column"),
            "brand": Category(["acme"], missing="own column"),
        },
        cross=[("action.price", "action.brand")],
    )
    rows = encoder.rows({}, [{"price": nothing, "brand": nothing}, {}])
    missing = (
        "action.price missing",
        "action.brand missing",
        "action.price missing*action.brand missing",
    )
    assert (rows > 0).tolist() == 2 * [[name in missing for name in encoder.names]]
    with pytest.raises(
        TypeError, match=r"^action\.price must be a number, got 'cheap' \(in action 2 of 2\)$"
    ):
        encoder.rows({}, [{}, {"price": "cheap"}])


@pytest.mark.parametrize("bad", [None, 3, "hour", [("hour", 3)]])
def test_what_is_no_dictionary(bad: Any) -> None:
    with pytest.raises(TypeError, match="context must be a dictionary, got"):
        ENCODER.rows(bad, [GOOD_ACTION])
    with pytest.raises(
        TypeError, match=r"action must be a dictionary, got .* \(in action 1 of 1\)"
    ):
        ENCODER.rows(GOOD_CONTEXT, [bad])


def test_actions_that_are_none() -> None:
    nothing: list[Any] = [[], {}]
    for empty in nothing:
        with pytest.raises(ValueError, match="actions must have at least one action, got none"):
            ENCODER.rows(GOOD_CONTEXT, empty)
    for bad in ("blue", 3, None):
        with pytest.raises(TypeError, match="actions must be a dictionary or a list, got"):
            ENCODER.rows(GOOD_CONTEXT, bad)  # type: ignore[arg-type]  # on purpose


def test_names_and_places() -> None:
    encoder = Encoder(
        context={"one": Constant()}, per_action=PerAction(["context.one"], ["blue"], 2)
    )
    with pytest.raises(TypeError, match="actions must have names"):
        encoder.rows({}, [{}])
    with pytest.raises(ValueError, match=r"must be one of blue, got 'bleu'; did you mean 'blue'\?"):
        encoder.rows({}, {"bleu": {}})
    with pytest.raises(
        ValueError, match="roster must have 2 places, as declared, got <Roster: 0 of 3"
    ):
        encoder.rows({}, {"blue": {}}, Roster(3))
    with pytest.raises(ValueError, match=r"place must be in \[0, 2\), got 2"):
        encoder.columns_of(2)
    with pytest.raises(ValueError, match="must have terms per action to have places"):
        ENCODER.roster()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Number(5, 5), "high must be above 5, got 5"),
        (lambda: Number(0, 5, log=True), "low must be above 0, got 0"),
        (lambda: Number(1, 5, missing="drop"), "missing must be one of own column, refuse, got 'drop'"),
        (lambda: Constant(missing="own column"), "missing must be left out of a constant, got 'own column'"),
        (lambda: Number(1, 5, log=1), "log must be True or False, got 1"),  # type: ignore[arg-type]
        (lambda: Cycle(0), "period must be above 0, got 0"),
        (lambda: Cycle(24, 0), "harmonics must be at least 1, got 0"),
        (lambda: Category(), "values must be given, or buckets in their place, got neither"),
        (lambda: Category(["a"], buckets=3), "values must be given, or buckets in their place, got both"),
        (lambda: Category(["a", "b", "a"]), "values must differ, got 'a' twice"),
        (lambda: Category("abc"), "values must be a list of words, got 'abc'"),
        (lambda: Category([1.5]), "values must be a string or an integer, got 1.5"),  # type: ignore[list-item]
        (lambda: Category(buckets=0), "buckets must be at least 1, got 0"),
        (lambda: Category(["a"], unknown="own colum"), "unknown must be one of own column, refuse, got"),
        (lambda: Category(buckets=2, unknown="refuse"), "unknown must be left out with buckets"),
        (lambda: PerAction([]), "per_action.terms must have at least one term, got none"),
        (lambda: PerAction(["context.a"]), "per_action.places must be given, or per_action.names"),
        (lambda: PerAction(["context.a"], places=0), "per_action.places must be at least 1, got 0"),
        (lambda: Encoder(context={"a": Cycle(24, 10**9)}), "columns must be at most 1000000 in all"),
        (lambda: Encoder(action={"a": Category(buckets=10**12)}), "columns must be at most 1000000"),
        (
            lambda: Encoder(action={"a": Category(buckets=200)}, cross=[3 * ("action.a",)]),
            "columns must be at most 1000000 in all, got 8000200",
        ),
        (
            lambda: Encoder(action={"a": Flag()}, per_action=PerAction(["action.a"], places=10**9)),
            "columns must be at most 1000000 in all, got 1000000001",
        ),
        (lambda: PerAction(["context.a"], ["b", "b"]), "per_action.names must differ, got 'b' twice"),
        (lambda: PerAction(["context.a"], ["b", "c"], 1), "per_action.places must be at least 2, got 1"),
        (lambda: Encoder(), "an encoder must have at least one field"),
        (lambda: Encoder(context={"a": Flag(alone=False)}), "an encoder must have at least one field"),
        (lambda: Encoder(context={"a": 3}), "context.a must be one of Number, Category"),  # type: ignore[dict-item]
        (lambda: Encoder(action=[Flag()]), "action must be a dictionary of fields"),  # type: ignore[arg-type]
        (lambda: Encoder(action={"": Flag()}), "action must name its fields by strings, got ''"),
        (lambda: Encoder(action={"a": Flag(), "b": Flag()}, blocks=1), "blocks must be at least 2, got 1"),
        (
            lambda: Encoder(action={"price": Flag()}, cross=[("action.price", "action.prise")]),
            "cross must be made of declared fields: a field must be one of action.price, got "
            "'action.prise'; did you mean 'action.price'?",
        ),
        (lambda: Encoder(action={"a": Flag()}, cross=[("action.a",)]), "cross must have terms of 2 to 3 fields"),
        (lambda: Encoder(action={"a": Flag()}, cross="action.a"), "cross must be a list, got 'action.a'"),
        (
            lambda: Encoder(
                action={"a": Flag(), "b": Flag()},
                cross=[("action.a", "action.b"), ("action.b", "action.a")],
            ),
            "cross must have each term once, got ('action.b', 'action.a') twice",
        ),
    ],
)  # fmt: skip
def test_a_declaration_that_is_wrong(make: Any, sentence: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert str(caught.value).startswith(sentence)
