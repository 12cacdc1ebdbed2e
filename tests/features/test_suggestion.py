"""A declaration proposed from the first part of a log."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import driftwise as dw
from driftwise.features import Category, Constant, Cycle, Encoder, Flag, Number, suggest


def event(i: int) -> dict[str, Any]:
    context = {
        "hour": i % 24,
        "segment": ["new", "old"][i % 2],
        "city": f"city {i % 40}",
        "visitor": f"person {i}",
        "spent": 10.0 ** (i % 4),
        "country": "nl",
        "tags": ["a", "b", i],
        "code": i if i % 2 else str(i),
        "referrer": None if i % 3 else "mail",
        "coupon": None if i % 3 else ["ten", "five"][i % 2],
        "age": None if i % 7 == 0 else i,
        "fee": None if i % 3 else 5,
    }
    actions = [
        {"price": 5.02 + i + j / 8, "sale": (i + j) % 3 == 0, "rank": j} for j in range(1 + i % 3)
    ]
    return {"context": context, "actions": actions}


def write(path: Path, events: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        pl.DataFrame(
            [
                e
                | {"context": {k: v for k, v in e["context"].items() if k not in ("tags", "code")}}
                for e in events
            ],
            infer_schema_length=None,
        ).write_parquet(path)
    elif path.suffix == ".csv":
        flat = [
            {f"context.{k}": v for k, v in e["context"].items() if k not in ("tags", "code")}
            | {f"action.{k}": v for k, v in action.items()}
            for e in events
            for action in e["actions"]
        ]
        pl.DataFrame(flat, infer_schema_length=None).write_csv(path)
    else:
        path.write_text("\n".join(map(json.dumps, events)) + "\n")
    return path


@pytest.mark.parametrize("name", ["log.jsonl", "log.ndjson", "log.parquet"])
def test_what_is_seen_is_written_down(name: str, tmp_path: Path) -> None:
    events = [event(i) for i in range(200)]
    text = suggest(write(tmp_path / name, events), first=100)
    declaration = Encoder.from_toml(text).declaration
    assert declaration.fields == {
        "context.constant": Constant(),
        "context.hour": Cycle(24, 2),
        "context.segment": Category(["new", "old"]),
        "context.city": Category(buckets=128),
        "context.spent": Number(1, 1000, log=True),
        "context.referrer": Category(["mail"], missing="own column"),
        "context.coupon": Category(["five", "ten"], missing="own column"),
        "context.age": Number(1, 99, missing="own column"),
        "action.price": Number(5.0, 110.0),
        "action.sale": Flag(),
        "action.rank": Number(0, 2),
    }
    for remark in (
        f"# Proposed from the first 100 events of {name}; look it over.",
        "# context.visitor: left out: 100 words in 100 values, as an id has",
        "# context.country: left out: always 'nl'",
        "# context.coupon: 2 words; missing from 66 of 100",
        "# context.age: numbers from 1 to 99; missing from 15 of 100",
        "# context.fee: left out: always 5 where it is there; missing from 66 of 100",
        "# action.price: numbers from 5.02 to 104.02",
        '# terms = [["action.price", "context.hour"]]',
    ):
        assert remark in text
    if name.endswith("l"):
        assert (
            "# context.tags: left out: neither numbers, words nor flags, but list, such as ["
            in text
        )
        assert "# context.code: left out: neither numbers, words nor flags, but int and str" in text


def test_what_is_missing_gets_a_column(tmp_path: Path) -> None:
    contexts = [{"load": i / 9} if i % 2 else {"load": math.nan, "guest": True} for i in range(9)]
    actions = [{"stock": i} if i else {} for i in range(3)]
    events = [{"context": context, "actions": actions} for context in contexts]
    encoder = Encoder.from_toml(suggest(write(tmp_path / "log.jsonl", events)))
    assert encoder.names[1:] == (
        "context.load", "context.load missing", "context.guest", "context.guest missing",
        "action.stock", "action.stock missing",
    )  # fmt: skip
    for context in contexts:
        assert np.isfinite(encoder.rows(context, actions)).all()


def test_nothing_later_is_read(tmp_path: Path) -> None:
    events = [event(i) for i in range(50)]
    short = write(tmp_path / "log.jsonl", events)
    told = suggest(short, first=50)
    short.write_text(short.read_text() + "this is not JSON\n")
    assert suggest(short, first=50) == told
    with pytest.raises(ValueError, match=r"log\.jsonl, line 51 must be JSON"):
        suggest(short, first=51)


def test_a_log_that_driftwise_wrote_says_the_same_in_any_form(tmp_path: Path) -> None:
    events = [{"context": event(i)["context"], "actions": event(i)["actions"]} for i in range(40)]
    log = dw.Log({**each, "action": 0} for each in events)
    told = [suggest(log.write(tmp_path / f"log.{form}"), 30) for form in ("jsonl", "parquet")]
    assert told[0] == told[1].replace("log.parquet", "log.jsonl")
    log.write(tmp_path / "log.parquet")
    frame = pl.read_parquet(tmp_path / "log.parquet").with_columns(context=pl.lit("{oops"))
    frame.write_parquet(tmp_path / "log.parquet")
    with pytest.raises(ValueError, match=r"row 1: context must be JSON, got '\{oops'"):
        suggest(tmp_path / "log.parquet")


def test_actions_that_are_mere_names(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    events = [
        {"context": {"hour": i % 24}, "actions": ["blue", "red"][: 1 + i % 2]} for i in range(40)
    ]
    path.write_text("\n".join(map(json.dumps, events)))
    text = suggest(path)
    assert Encoder.from_toml(text).declaration.names == ("blue", "red")
    assert '# terms = ["context.constant", "context.hour"]' in text.splitlines()


def test_a_table_with_flat_columns(tmp_path: Path) -> None:
    text = suggest(write(tmp_path / "log.csv", [event(i) for i in range(60)]), first=90)
    fields = Encoder.from_toml(text).declaration.fields
    assert fields["context.hour"] == Cycle(24, 2)
    assert fields["action.sale"] == Flag()
    assert fields["action.rank"] == Number(0, 2)
    assert "first 90 events" in text


def test_named_actions_get_an_intercept_each(tmp_path: Path) -> None:
    events = [
        {"context": {}, "actions": {name: {"price": i} for name in names}}
        for i, names in enumerate([["blue", "red"], ["green", "blue"]])
    ]
    encoder = Encoder.from_toml(suggest(write(tmp_path / "log.jsonl", events)))
    assert encoder.declaration.names == ("blue", "red", "green")
    assert encoder.declaration.own == (("context.constant",),)
    many = [{"context": {}, "actions": {f"a{i}": {"price": i}}} for i in range(60)]
    text = suggest(write(tmp_path / "log.jsonl", many))
    assert Encoder.from_toml(text).declaration.own == ()
    assert "# 60 named actions: too many for coefficients of their own" in text


def test_fields_with_odd_names(tmp_path: Path) -> None:
    odd = ['a "quoted" name', "two\nlines", "a.b", "é"]
    events = [{"context": dict.fromkeys(odd, i), "actions": [{"x": i}]} for i in range(3)]
    encoder = Encoder.from_toml(suggest(write(tmp_path / "log.jsonl", events)))
    assert [f"context.{name}" for name in odd] == list(encoder.declaration.fields)[1:-1]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("log.txt", "", r"path must end in \.jsonl, .* got .*log\.txt"),
        ("log.jsonl", "\n\n", "must have at least one event, got none"),
        ("log.jsonl", "[1]\n", r"line 1 must be an object, got \[1\]"),
        ("log.jsonl", '{"reward": 1}\n', "line 1 must have context and actions, .* got reward"),
        ("log.jsonl", '{"context": 3}\n', "line 1 must have an object for each context, got 3"),
        ("log.jsonl", '{"actions": [3]}\n', "line 1 must have an object for each action, got 3"),
        (
            "log.jsonl",
            '{"actions": ["a", 3]}\n',
            "line 1 must have an object for each action, got 'a'",
        ),
        ("log.jsonl", '{"actions": 3}\n', "line 1 must have a list or an object of actions, got 3"),
        ("log.csv", "a,b\n1,2\n", "row 1 must have .* got a, b; `driftwise log convert`"),
        ("log.parquet", "no", "must be a parquet file that can be read"),
    ],
)
def test_logs_that_cannot_be_read(name: str, content: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ValueError, match=sentence):
        suggest(path)


def test_arguments(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="path must be a file that exists"):
        suggest(tmp_path / "none.jsonl")
    with pytest.raises(ValueError, match="first must be at least 1 event, got 0"):
        suggest(tmp_path / "none.jsonl", first=0)
