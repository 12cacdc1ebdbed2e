"""Problem files: what they may say, and what is said about what they may not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jsonschema
import pytest

import driftwise as dw
from driftwise.service.account import account_of
from driftwise.service.learner import Learner
from driftwise.service.offers import offer_of
from driftwise.service.problem.reading import ProblemError, parse_problem, read_problem
from driftwise.service.problem.schema import problem_schema
from driftwise.service.requests import DecisionRequest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "prices.toml"
ARMS = 'arms = ["red", "blue"]\n'


def test_the_example_is_read() -> None:
    problem = read_problem(EXAMPLE)
    assert (problem.name, problem.arms) == ("prices", ("low", "middle", "high"))
    assert problem.reward.window == 2 * 3600 * 10**6
    assert problem.policy == dw.AdaptiveUCB()
    request = DecisionRequest(context={"device": "phone", "hour": 14})
    offer = offer_of(request, Learner(problem))
    assert offer.rows is not None
    assert offer.rows.shape == (3, problem.dimension)
    assert "2h" not in account_of(problem, "x.db")["reward"]


def test_by_default_each_arm_has_coefficients_of_its_own_for_the_context() -> None:
    problem = parse_problem(ARMS + '[context.hour]\nkind = "cycle"\nperiod = 24', "x")
    assert problem.encoder is not None
    rows = problem.encoder.rows({"hour": 6}, problem.features)
    assert (rows[0] * rows[1] == 0).all()
    assert (rows != 0).any(axis=1).all()


def test_arms_may_have_features() -> None:
    text = '[arms.red]\nprice = 5\n[arms.blue]\nprice = 9\n[action.price]\nkind = "number"\nlow = 0\nhigh = 10'
    problem = parse_problem(text, "x")
    assert problem.fixed_rows is not None
    assert problem.fixed_rows.tolist() == [[0.0], [0.8]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "in [0, 1], "),
        ('kind = "binary"', "0 or 1, "),
        ('kind = "binary"\nrange = [-1, 5]', "-1 or 5, "),
        ("range = [0, 5]", "in [0, 5], "),
        ('kind = "number"\nrange = [0, 5]', "in [0, 5], "),
    ],
)
def test_kinds_of_rewards(text: str, said: str) -> None:
    problem = parse_problem(f"{ARMS}[reward]\n{text}", "x")
    assert account_of(problem, "x.db")["reward"].startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("armz = []", "line 1: armz: key must be one of"),
        ("armz = []", "did you mean 'arms'?"),
        ("", "either arms or actions"),
        ("arms = []", "line 1: arms: arms must have at least one name"),
        ('arms = ["a", "a"]', "line 1: arms: arms must have different names, got 'a'"),
        (ARMS + 'name = "no spaces"', "line 2: name: name must be a letter"),
        (ARMS + '[reward]\nwindow = "2 weeks"', "line 3: reward.window: window must be such as"),
        (ARMS + "[reward]\nrange = [1, 0]", "line 3: reward.range: range must begin with the lower end"),
        (ARMS + '[reward]\nkind = "number"', "line 2: reward: there must be a range"),
        (ARMS + "[reward]\ndefault = 7", "line 3: reward.default: default must be in [0, 1], got 7"),
        (ARMS + '[reward]\nlate = "learn"', "line 3: reward.late: late must be \"ignore\" unless"),
        (ARMS + '[reward]\njoin = "summ"', "did you mean 'sum'?"),
        (ARMS + '[policy]\nname = "AdaptivUCB"', "did you mean 'AdaptiveUCB'?"),
        (ARMS + '[policy]\nwidht = 1', "line 3: policy.widht: key must be one of name"),
        (ARMS + "[policy]\nwidth = -1", "line 3: policy.width: width must be at least 0"),
        (ARMS + '[guards]\nfallback = "bleu"', "line 3: guards.fallback: fallback must be one of red, blue, got 'bleu'; did you mean 'blue'?"),
        (ARMS + "[guards]\nlargest_share = 2", "line 3: guards.largest_share"),
        (ARMS + "[exploration]\nshare = 2", "line 3: exploration.share: share must be in [0, 1]"),
        (ARMS + "[limits]\nqueue = 0", "line 3: limits.queue: queue must be at least 1"),
        (ARMS + '[context.hour]\nkind = "cycel"', "line 3: context.hour.kind: kind must be one of"),
        ("[actions]\n", "line 1: actions: there must be a dimension"),
        ("arms = [", "must be a TOML file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_line_key_rule_and_nearest_name(text: str, said: str) -> None:
    with pytest.raises(ProblemError) as caught:
        parse_problem(text, "x")
    assert said in str(caught.value)


def test_the_schema_takes_the_example_and_is_published() -> None:
    schema = problem_schema()
    jsonschema.validate(tomllib.loads(EXAMPLE.read_text()), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"armz": []}, schema)
    published = (ROOT / "docs" / "problem.schema.json").read_text()
    import json

    assert json.loads(published) == schema, "driftwise serve --schema > docs/problem.schema.json"


def test_fields_of_actions_say_that_actions_come_with_each_request() -> None:
    text = '[action.price]\nkind = "number"\nlow = 0\nhigh = 10'
    assert parse_problem(text, "x").arms == parse_problem(f"[actions]\n{text}", "x").arms == ()
    with pytest.raises(ProblemError, match="either arms or actions"):
        parse_problem(f'arms = ["a"]\n[actions]\n{text}', "x")
