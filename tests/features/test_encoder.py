"""Rows are what was declared, never longer than 1, and the same wherever they are made."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import driftwise as dw
from driftwise.features import Category, Constant, Cycle, Encoder, Flag, Number, PerAction
from tests.features.declarations import Case, cases, few, many, plain_row

SHOP: dict[str, Any] = {
    "context": {"hour": Cycle(24, 2), "segment": Category(["new", "old"])},
    "action": {"price": Number(5, 20), "brand": Category(buckets=16), "on sale": Flag()},
    "cross": [("action.price", "context.hour"), ("action.price", "action.price")],
    "per_action": PerAction(["context.segment"], ["blue", "red"]),
}
CONTEXT = {"hour": 17.5, "segment": "old", "visitor": "not declared"}
ACTIONS = {
    "blue": {"price": 9.9, "brand": "acme", "on sale": True},
    "red": {"price": 11.5, "brand": "apex", "on sale": False},
}


@given(cases())
@many
def test_rows_are_what_is_declared(case: Case) -> None:
    encoder = case.encoder
    found = encoder.rows(case.context, case.actions)
    wanted = [
        plain_row(encoder.declaration, case.context, action, place)
        for place, action in enumerate(case.actions.values())
    ]
    assert found.shape == (len(case.actions), encoder.dimension)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


@given(cases())
@many
def test_no_row_is_longer_than_1(case: Case) -> None:
    rows = case.encoder.rows(case.context, case.actions)
    assert np.isfinite(rows).all()
    assert (np.linalg.norm(rows, axis=1) <= 1.0 + 1e-12).all()


def test_a_row_of_full_blocks_has_length_1() -> None:
    encoder = Encoder(context={"a": Constant(), "b": Cycle(7, 3)}, action={"c": Number(0, 1)})
    rows = encoder.rows({"b": 2.2}, [{"c": 1e9}, {"c": -1e9}, {"c": 0.5}])
    lengths = np.linalg.norm(rows, axis=1)
    np.testing.assert_allclose(lengths, [1.0, 1.0, np.sqrt(2 / 3)], rtol=1e-14)


@given(cases(), st.randoms(use_true_random=False))
@few
def test_the_order_of_fields_moves_columns_and_nothing_else(case: Case, order: Any) -> None:
    def shuffled(given: dict[str, Any]) -> dict[str, Any]:
        keys = list(given)
        order.shuffle(keys)
        return {key: given[key] for key in keys}

    def by_name(encoder: Encoder, rows: Any) -> dict[str, list[float]]:
        assert len(set(encoder.names)) == encoder.dimension
        return dict(zip(encoder.names, rows.T.tolist(), strict=True))

    sides = {side: shuffled(case.declared[side]) for side in ("context", "action")}
    other = Encoder(**(case.declared | sides))
    context, actions = shuffled(case.context), {k: shuffled(v) for k, v in case.actions.items()}
    assert by_name(other, other.rows(context, actions)) == by_name(
        case.encoder, case.encoder.rows(case.context, case.actions)
    )


@given(cases())
@few
def test_compact_rows_leave_out_other_places(case: Case) -> None:
    encoder = case.encoder
    rows = encoder.rows(case.context, case.actions)
    compact, places = encoder.compact_rows(case.context, case.actions)
    shared = encoder.shared_columns
    np.testing.assert_array_equal(compact[:, shared], rows[:, shared])
    for i, place in enumerate(places.tolist()):
        own = encoder.columns_of(place)
        np.testing.assert_array_equal(compact[i, shared.stop :], rows[i, own])
        outside = np.ones(encoder.dimension, dtype=bool)
        outside[shared] = outside[own] = False
        assert not rows[i, outside].any()


def test_names_and_lists_give_the_same_rows_without_terms_per_action() -> None:
    encoder = Encoder(**(SHOP | {"per_action": None}))
    named = encoder.rows(CONTEXT, ACTIONS)
    np.testing.assert_array_equal(named, encoder.rows(CONTEXT, list(ACTIONS.values())))


def test_columns_have_names() -> None:
    encoder = Encoder(**SHOP)
    assert encoder.dimension == len(encoder.names) == 4 + 3 + 1 + 16 + 1 + 4 + 1 + 2 * 3
    assert encoder.names[4:9] == (
        "context.segment=new", "context.segment=old", "context.segment=?", "action.price", "action.brand#0"
    )  # fmt: skip
    assert encoder.names[24:28] == (
        'action."on sale"', "action.price*context.hour sin 1", "action.price*context.hour cos 1",
        "action.price*context.hour sin 2",
    )  # fmt: skip
    assert encoder.names[-1] == "place 1: context.segment=?"
    rows = encoder.rows(CONTEXT, ACTIONS)
    found = dict(zip(encoder.names, rows[1], strict=True))
    n = 5 + 2 + 1
    assert found["context.segment=old"] == pytest.approx(n**-0.5)
    assert found["place 1: context.segment=old"] == pytest.approx(n**-0.5)
    assert found["place 0: context.segment=old"] == 0.0
    assert found["action.price*action.price"] == pytest.approx((2 * 6.5 / 15 - 1) ** 2 * n**-0.5)


def test_words_that_nobody_declared() -> None:
    encoder = Encoder(action={"size": Category(["s", "m", 3])})
    rows = encoder.rows({}, [{"size": x} for x in ("m", 3, "3", np.int64(3), "l", "?", None)])
    assert rows.argmax(axis=1).tolist() == [1, 2, 2, 2, 3, 3, 3]
    hashed = Encoder(action={"size": Category(buckets=8)})
    rows = hashed.rows({}, [{"size": x} for x in ("m", "3", 3, None, "\ud800")])
    np.testing.assert_array_equal(rows[1], rows[2])
    assert np.abs(rows).sum(axis=1).tolist() == [1.0, 1.0, 1.0, 0.0, 1.0]


def test_hashes_are_those_of_crc32() -> None:
    rows = Encoder(action={"brand": Category(buckets=16)}).rows({}, [{"brand": "acme"}])
    wanted = np.zeros(16)
    wanted[0xC15194AC % 16] = -1.0  # crc32 of "brand=acme"; its first bit is set
    np.testing.assert_array_equal(rows[0], wanted)


def test_words_spread_over_buckets_and_signs() -> None:
    encoder = Encoder(action={"brand": Category(buckets=8)})
    rows = encoder.rows({}, [{"brand": f"brand {i}"} for i in range(1600)])
    counts = np.concatenate([(rows > 0).sum(axis=0), (rows < 0).sum(axis=0)])
    assert counts.sum() == 1600
    assert (np.abs(counts - 100) < 50).all(), counts  # five standard deviations of a fair throw


def test_logarithms() -> None:
    encoder = Encoder(action={"price": Number(1, 100, log=True)})
    rows = encoder.rows({}, [{"price": x} for x in (0, 1, 10, 100, 1e9)])
    np.testing.assert_allclose(rows[:, 0], [-1, -1, 0, 1, 1], atol=1e-15)


def test_a_cycle_comes_round_without_losing_digits() -> None:
    encoder = Encoder(context={"second": Cycle(86_400, 2)})
    now = 1_700_000_000.25
    near, far = (encoder.rows({"second": s}, [{}]) for s in (now % 86_400, now + 86_400 * 10**6))
    np.testing.assert_array_equal(near, far)


SCRIPT = """
import sys, pickle
encoder, context, actions = pickle.load(sys.stdin.buffer)
sys.stdout.buffer.write(encoder.rows(context, actions).tobytes() + encoder.digest.encode())
"""


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_rows_are_the_same_in_another_process(hash_seed: str) -> None:
    encoder = Encoder(**SHOP)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=pickle.dumps((encoder, CONTEXT, ACTIONS)),
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
    )
    assert done.stdout == encoder.rows(CONTEXT, ACTIONS).tobytes() + encoder.digest.encode()


def test_only_numpy_is_loaded() -> None:
    code = (
        "import sys, driftwise as dw; dw.features.Encoder(context={'a': dw.features.Flag()}); "
        "print(sorted({'numba', 'polars', 'rich', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists() -> None:
    assert all(hasattr(dw.features, name) for name in dw.features.__all__)


def test_encoders_are_equal_if_they_declare_the_same() -> None:
    encoder = Encoder(**SHOP)
    assert encoder == Encoder(**SHOP) == pickle.loads(pickle.dumps(encoder))
    assert hash(encoder) == hash(Encoder(**SHOP))
    other = Encoder(**(SHOP | {"blocks": 20}))
    assert other != encoder
    assert other.digest != encoder.digest
    assert "context.hour" in repr(encoder)
