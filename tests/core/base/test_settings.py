"""What settings are annotated with, in every way in which a Python keeps that."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest

import driftwise as dw
from driftwise.core.base.settings import hints_of


class Settings(NamedTuple):
    window: int
    noise: float


class Heir(Settings):
    __slots__ = ()


Evaluated = NamedTuple("Evaluated", [("window", int), ("noise", float)])  # noqa: UP014  # as without the future import


@pytest.mark.parametrize("cls", [Settings, Heir, Evaluated])
def test_hints_are_names_inherited_or_not(cls: Any) -> None:
    assert hints_of(cls) == {"window": "int", "noise": "float"}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the test above is about real ones")
def test_hints_of_python_3_14(monkeypatch: pytest.MonkeyPatch) -> None:
    """There a named tuple has no annotations until they are asked for, in one of several formats."""

    def annotate(form: int) -> dict[str, Any]:
        assert form == 3, "others raise an error for a name that is not known yet"
        return {"window": int, "noise": SimpleNamespace(__forward_arg__="float")}

    def get_annotations(cls: Any, **options: int) -> Any:
        return vars(cls).get("__annotate__", lambda _: {})(options["format"])

    lazy = ModuleType("annotationlib")
    lazy.__dict__.update(Format=SimpleNamespace(FORWARDREF=3), get_annotations=get_annotations)
    monkeypatch.setitem(sys.modules, "annotationlib", lazy)
    monkeypatch.setattr(sys, "version_info", (3, 14))
    base = type("base", (tuple,), {"__annotate__": annotate})
    assert "__annotations__" not in vars(base)
    assert hints_of(type("heir", (base,), {})) == {"window": "int", "noise": "float"}


def test_a_setting_that_is_left_out_is_missed_by_the_policy_that_was_called() -> None:
    with pytest.raises(TypeError, match=r"^DiscountedGaussianTS\(\) missing .*'noise'$"):
        dw.DiscountedGaussianTS(discount=0.99)  # type: ignore[call-arg]  # on purpose
