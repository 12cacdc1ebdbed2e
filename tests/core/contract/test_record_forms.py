"""Records have one form only if every type in them is the same; a version is for one form."""

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest

import driftwise as dw
from driftwise.core.contract.policy import Choice
from driftwise.core.engine import calls
from driftwise.core.engine.calls import Calls, _form_of, _has_form

POLICY = dw.SlidingWindowUCB(window=20, noise=0.1)


class Nested(NamedTuple):
    arm: int
    inner: Any
    pair: Any


class SameFields(NamedTuple):
    arm: int
    propensity: float
    value: float


FLAT = Choice(1, 0.5, 2.0)


@pytest.mark.parametrize(
    ("record", "others"),
    [
        (
            FLAT,
            [
                Choice(1, 1, 2.0),
                Choice(1.0, 0.5, 2.0),  # type: ignore[arg-type]  # that is the point
                Choice(True, 0.5, 2.0),
                Choice(np.int64(1), 0.5, 2.0),  # type: ignore[arg-type]  # that is the point
                Choice(1, np.float64(0.5), 2.0),
                SameFields(1, 0.5, 2.0),
                (1, 0.5, 2.0),
                Choice(1, 0.5, None),  # type: ignore[arg-type]  # that is the point
                [1, 0.5, 2.0],
                None,
            ],
        ),
        (
            Nested(1, FLAT, (1, 2.0)),
            [
                Nested(1, FLAT, (1, 2)),
                Nested(1, FLAT, (1, 2.0, 3)),
                Nested(1, SameFields(*FLAT), (1, 2.0)),
                Nested(1, FLAT._replace(value=1), (1, 2.0)),
                Nested(1, FLAT, [1, 2.0]),
                FLAT,
            ],
        ),
    ],
)
def test_records_have_the_same_form_only_if_every_type_in_them_is_the_same(
    record: Any, others: list[Any]
) -> None:
    form = _form_of(record)
    assert form is not None
    assert _has_form(pickle.loads(pickle.dumps(record)), form)
    for other in others:
        assert not _has_form(other, form)


def test_a_record_with_anything_but_numbers_has_no_form() -> None:
    """Arrays of one class may be of many types."""
    for item in (np.zeros(2), np.float64(1.0), "text", None, [1], (1, np.zeros(2))):
        assert _form_of(Nested(1, FLAT, item)) is None
    assert not _has_form(FLAT, None)


def test_a_record_of_other_types_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def version_soon(function: Any, arguments: Any, *, is_waiting: bool) -> Any:
        looked_at.append([type(item) for item in arguments[3]])
        return (lambda *_: True), True

    monkeypatch.setattr(calls, "version_soon", version_soon)
    at_work = Calls(POLICY, POLICY.start(0, 2, None), False)
    common, odd = [int, float, float], [int, int, float]
    for record in (FLAT, FLAT, Choice(0, 1, 2.0), Choice(3, 1, 0.5), FLAT, FLAT):
        at_work.learn(np.zeros(2), record, 0.0, 1, was_expected=False)
    assert looked_at == [common, odd, common]
