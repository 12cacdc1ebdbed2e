"""Plain data, and back."""

import json

import pytest

import driftwise as dw
from driftwise.core.records import from_plain, to_plain


def test_policies_survive_json() -> None:
    for policy in (
        dw.SlidingWindowUCB(window=5, noise=0.1),
        dw.BanditOverBandit.tuned(horizon=1000, dimension=3, noise=0.5),
        dw.Exp3S.tuned(horizon=100, n_arms=3),
    ):
        assert from_plain(json.loads(json.dumps(to_plain(policy)))) == policy


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module:Policy", "'no_such_module:Policy' must be importable"),
        ("driftwise.policies:Missing", "'driftwise.policies:Missing' must be importable"),
        ("os:system", "'os:system' must be a policy or a choice"),
        ("builtins:tuple", "'builtins:tuple' must be a policy or a choice"),
    ],
)
def test_a_record_does_not_call_just_anything(path: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_plain({"class": path, "fields": {}})
