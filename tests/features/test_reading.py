"""Declarations as TOML: there and back, and errors with their line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from driftwise.features import Category, Cycle, Encoder, Number
from tests.features.declarations import Case, cases, many

TEXT = """\
# The example of the guide.
[context.hour]
kind = "cycle"
period = 24
harmonics = 2
[context.segment]
kind = "category"
values = ["new", "old"]
unknown = "own column"
[action.price]
kind = "number"
low = 5
high = 20
[action.brand]
kind = "category"
buckets = 16
[cross]
terms = [["action.price", "context.hour"]]
[per_action]
terms = ["context.segment", ["action.price", "context.hour"]]
names = ["blue", "red"]
places = 3
"""


def test_a_file_says_what_python_says(tmp_path: Path) -> None:
    short = TEXT[: TEXT.index("[per_action]")]
    encoder = Encoder.from_toml(short)
    assert encoder == Encoder(
        context={"hour": Cycle(24, 2), "segment": Category(["new", "old"])},
        action={"price": Number(5, 20), "brand": Category(buckets=16)},
        cross=[("action.price", "context.hour")],
    )
    assert encoder.dimension == 4 + 3 + 1 + 16 + 4
    file = tmp_path / "features.toml"
    file.write_text(short)
    assert Encoder.from_toml(file) == Encoder.from_toml(str(file)) == encoder
    assert Encoder.from_toml('context.now = { kind = "flag" }').dimension == 1


@given(cases())
@many
def test_there_and_back(case: Case) -> None:
    encoder = case.encoder
    other = Encoder.from_toml(encoder.to_toml())
    assert other == encoder
    assert (other.names, other.digest) == (encoder.names, encoder.digest)
    rows = encoder.rows(case.context, case.actions)
    assert other.rows(case.context, case.actions).tobytes() == rows.tobytes()


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("period = 24", "period = 0", ["line 4: context.hour.period: period must be above 0, got 0"]),
        ("period = 24", "peroid = 24", ["line 4: context.hour.peroid: key", "did you mean 'period'?"]),
        ("period = 24\n", "", ["line 2: context.hour: there must be 'period'"]),
        ("harmonics = 2", "harmonics = 2.5", ["line 5: context.hour.harmonics", "got 2.5"]),
        ('kind = "cycle"', 'kind = "cicle"', ["line 3: context.hour.kind", "did you mean 'cycle'?"]),
        ('kind = "cycle"', "kind = []", ["line 3: context.hour.kind", "got []"]),
        ('kind = "cycle"\n', "", ["line 2: context.hour: there must be a kind, one of number,"]),
        ("low = 5", 'low = "5"', ["line 12: action.price.low: low must be a number, got '5'"]),
        ("high = 20", "high = 4", ["line 13: action.price.high: high must be above 5, got 4"]),
        ("high = 20", "high = 20\nmissing = 3", ["line 14: action.price.missing: missing must be one of own column, refuse, got 3"]),
        ("high = 20", 'misssing = "refuse"', ["line 13: action.price.misssing", "did you mean 'missing'?"]),
        ("high = 20", "values = [4]", ["line 13: action.price.values: key", "got 'values'"]),
        ("buckets = 16", "buckets = 0", ["line 16: action.brand.buckets", "got 0"]),
        ("buckets = 16", "", ["line 14: action.brand: values must be given, or buckets"]),
        ('unknown = "own column"', 'unknown = "own"', ["line 9: context.segment.unknown", "got 'own'"]),
        ('"new", "old"', '"new", "new"', ["line 8: context.segment.values", "'new' twice"]),
        ("[context.hour]", "[contexts.hour]", ["line 2: contexts: key must be one of", "did you mean 'context'?"]),
        ("[cross]\nterms", "[cros]\nterms", ["line 17: cros: key must be one of", "did you mean 'cross'?"]),
        ("[cross]\nterms", "[cross]\nterm", ["line 18: cross.term", "did you mean 'terms'?"]),
        ('[["action.price"', '[["action.prise"', ["line 18: cross.terms: cross must be made of", "did you mean 'action.price'?"]),
        ("places = 3", "places = 1", ["line 22: per_action.places", "at least 2, got 1"]),
        ("places = 3", "palces = 3", ["line 22: per_action.palces", "did you mean 'places'?"]),
        ('terms = ["context.segment"', 'terms = ["segment"', ["line 20: per_action.terms", "got 'segment'", "did you mean 'context.segment'?"]),
        ("# The example of the guide.", "blocks = 2", ["line 1: blocks: blocks must be at least 7, got 2"]),
        ("# The example of the guide.", "context = 2", ["TOML"]),
        ("# The example of the guide.", "blocks = ", ["a declaration must be TOML", "line 1"]),
        ("[context.hour]", "[context.hour", ["a declaration must be TOML", "line 2"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, parts: list[str]) -> None:
    assert old in TEXT
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # the parts say which
        Encoder.from_toml(TEXT.replace(old, new, 1))
    for part in parts:
        assert part in str(caught.value)


def test_fields_that_are_no_tables() -> None:
    with pytest.raises(ValueError, match=r"line 2: context\.hour: a field must be a table"):
        Encoder.from_toml("[context]\nhour = 3\n")
    with pytest.raises(ValueError, match="line 1: context: context must be a table, got 3"):
        Encoder.from_toml("context = 3\n")
    with pytest.raises(ValueError, match=r"line 2: context\.hour: there must be 'period'"):
        Encoder.from_toml('[context]\nhour = { kind = "cycle" }\n')
    with pytest.raises(
        ValueError, match=r"line 3: per_action: per_action\.terms must have at least one"
    ):
        Encoder.from_toml('[context.a]\nkind = "flag"\n[per_action]\nplaces = 3\n')
    with pytest.raises(ValueError, match="declaration: an encoder must have at least one field"):
        Encoder.from_toml("\n\n")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"TOML or a file that exists, got 'none\.toml'"):
        Encoder.from_toml("none.toml")
    file = tmp_path / "features.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="must be UTF-8 text"):
        Encoder.from_toml(file)
