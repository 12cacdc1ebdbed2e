"""Plain data, and back."""

import json
import sys
from typing import Any

import pytest

import driftwise as dw
from driftwise.core.contract.records import from_plain, to_plain


def test_policies_survive_json() -> None:
    for policy in (
        dw.SlidingWindowUCB(window=5, noise=0.1),
        dw.BanditOverBandit.tuned(horizon=1000, dimension=3, noise=0.5),
        dw.Exp3S.tuned(horizon=100, n_arms=3),
    ):
        assert from_plain(json.loads(json.dumps(to_plain(policy)))) == policy


def test_a_record_imports_nothing_but_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    """To import a module is to run it: this one writes a poem."""
    assert "this" not in sys.modules
    with pytest.raises(ValueError, match="'this:x' must be of a package that was imported"):
        from_plain({"class": "this:x", "fields": {}})
    assert "this" not in sys.modules
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "data",
    [
        {"fields": {}},
        {"class": "UCB1"},
        {"class": "UCB1", "fields": []},
        {"class": "UCB1", "fields": {"odd": 1}},
        {"array": ["x"], "dtype": "float64"},
        {"array": [1.0], "dtype": "no_such_type"},
        {"tuple": 3},
    ],
)
def test_a_damaged_record_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="must h"):
        from_plain(data)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module:Policy", "'no_such_module:Policy' must be of a package that was imported"),
        ("driftwise.no_such_module:Policy", "must be of a package that was imported"),
        (
            "driftwise.policies:NoSuchClass",
            "'driftwise.policies:NoSuchClass' must be known to be read back",
        ),
        (
            "NoSuchClass",
            "'NoSuchClass' must be known to be read back, but no such class was imported",
        ),
        ("", "'' must be known to be read back"),
        ("os:system", "'os:system' must be a policy or a choice"),
        ("builtins:tuple", "'builtins:tuple' must be a policy or a choice"),
        ("UnitBall", "'UnitBall' must be a policy or a choice"),
    ],
)
def test_a_record_does_not_call_just_anything(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_plain({"class": path, "fields": {}})
