"""The page about features: what it says is so."""

from __future__ import annotations

import doctest
import re
from dataclasses import fields
from pathlib import Path

import pytest

from driftwise.features import Constant, Encoder, Number, PerAction
from driftwise.features.declaration import KINDS

PAGE = Path(__file__).parents[1] / "docs" / "features.md"


def test_what_the_page_says_is_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), flags=re.S)
    (tmp_path / "features.toml").write_text(first)
    monkeypatch.chdir(tmp_path)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=options)
    assert found.attempted > 20
    assert found.failed == 0


FIELDS = """
[context.constant]
kind = "constant"
alone = false
[context.load]
kind = "number"
low = 0
high = 1
alone = false
[action.price]
kind = "number"
low = 5
high = 20
"""


def test_terms_per_action_are_the_same_in_a_file() -> None:
    _, second = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), flags=re.S)
    assert Encoder.from_toml(FIELDS + second) == Encoder(
        context={"constant": Constant(alone=False), "load": Number(0, 1, alone=False)},
        action={"price": Number(5, 20)},
        per_action=PerAction(["context.constant", "context.load"], ["blue", "red"], 3),
    )


def test_every_kind_and_key_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    for kind, cls in KINDS.items():
        assert f"| `{kind}` |" in page
        for key in fields(cls):
            assert re.search(rf"`{key.name}\b", page), key.name
