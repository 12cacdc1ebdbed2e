"""`driftwise evaluate` and `driftwise forgetting`: what the library says, as text, JSON and one page."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw
from benchmarks.moving_logs import arms_log, as_log
from driftwise.cli import run
from driftwise.cli.evaluating import policies_from
from driftwise.evaluation.facts import facts_of

POLICIES = "SlidingWindowUCB:window=100,noise=0.5", "LinUCB:noise=0.5"


@pytest.fixture
def log(tmp_path: Path) -> str:
    return str(as_log(arms_log(0)).write(tmp_path / "log.jsonl"))


class Page(HTMLParser):
    """What a page holds: its visible text, its charts, and where it would go for more."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words, self.inside = "", ""
        self.charts: list[Any] = []
        self.links: list[Any] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.inside = f"{tag} {given.get('id')}" if tag in ("script", "style") else self.inside
        self.ids.add(given.get("id") or "")
        self.links += [given[name] for name in ("src", "href") if given.get(name)]

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag in ("script", "style") else self.inside

    def handle_data(self, data: str) -> None:
        if self.inside == "script charts":
            self.charts = json.loads(data)
        elif not self.inside:
            self.words += data


@pytest.mark.parametrize("kind", ["advice", "share", "all-traffic", "replay"])
def test_json_prints_what_the_library_says(
    kind: str, log: str, document: Callable[..., Any]
) -> None:
    told = document("evaluate", *POLICIES, "--log", log, "--as", kind, "--draws", "2", "--quiet")
    policies = policies_from(POLICIES, facts_of(dw.Log.read(log)))
    assert policies[POLICIES[0]].window == 100
    evaluate = getattr(dw.evaluation, kind.replace("-", "_"))
    options = {"draws": 2} if kind == "all-traffic" else {}
    found = evaluate(dw.Log.read(log), policies, **options)
    assert told == found.as_dict()


def test_a_report_is_one_page_with_the_answer_first(log: str, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    arguments = ["evaluate", *POLICIES, "--log", log, "--bounds", "0", "1", "--out", str(out)]
    assert run(arguments) == 0
    page = Page(out.read_text("utf-8"))
    policies = policies_from(POLICIES, facts_of(dw.Log.read(log)))
    found = dw.evaluation.advice(dw.Log.read(log), policies, bounds=(0.0, 1.0))
    for each in found.differences:
        assert each.says in page.words
    assert page.words.index("Would it have been better?") < page.words.index("Side by side")
    assert "Can the log be trusted?" in page.words
    assert all(link.startswith(("data:", "#")) for link in page.links), "it opens offline"
    assert {chart["id"] for chart in page.charts} == {"chart-over-time", "chart-all-times"}
    for chart in page.charts:
        assert chart["id"] in page.ids
        assert [series["name"] for series in chart["series"]] == [*POLICIES, "log"]
        assert all(len(series["mean"]) == len(chart["x"]) for series in chart["series"])


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("advice", "Paired: both are scored on the same events"),
        ("all-traffic", "Policies play in the same drawn worlds"),
        ("replay", "Not paired"),
    ],
)
def test_a_report_says_how_policies_are_compared(
    kind: str, how: str, log: str, tmp_path: Path
) -> None:
    out = tmp_path / "report.html"
    arguments = ["evaluate", *POLICIES, "--log", log, "--as", kind, "--draws", "2"]
    assert run([*arguments, "--out", str(out)]) == 0
    assert how in Page(out.read_text("utf-8")).words


def test_a_report_of_a_rejected_model_leads_with_what_needs_none(tmp_path: Path) -> None:
    """A hump along the only feature, which no linear model can be."""
    random = np.random.default_rng(0)
    hump = dw.Log(
        {"decision_set": [[1.0, 0.0], [1.0, 0.5], [1.0, 1.0]], "action": int(k),
         "propensities": [1 / 3] * 3, "reward": (0.0, 1.0, 0.4)[k] + 0.1 * random.standard_normal()}
        for k in random.integers(3, size=1000)
    )  # fmt: skip
    log, out = str(hump.write(tmp_path / "log.jsonl")), tmp_path / "report.html"
    arguments = ["evaluate", POLICIES[0], "--log", log, "--as", "all-traffic", "--draws", "2"]
    assert run([*arguments, "--out", str(out)]) == 0
    words = Page(out.read_text("utf-8")).words
    assert words.index("The model is rejected") < words.index("Model rejected"), "the answer"
    assert words.index(f"{POLICIES[0]} as advice") < words.index("What must be known about them")


def test_forgetting_says_what_the_library_says(
    log: str, tmp_path: Path, document: Callable[..., Any], text: Callable[..., str]
) -> None:
    found = dw.evaluation.forgetting(dw.Log.read(log))
    out = tmp_path / "gains.html"
    assert document("forgetting", log, "--out", str(out)) == found.as_dict()
    assert text("forgetting", log) == " ".join(found.as_text().split())
    page = Page(out.read_text("utf-8"))
    assert found.says in page.words
    assert {chart["id"] for chart in page.charts} == {
        "chart-forecasts", "chart-contrasts", "chart-decisions",
    }  # fmt: skip


BAD = [
    (["--as", "online"], "as must be one of advice, share, all-traffic, replay, got 'online'"),
    (["--out", "report.txt"], "out must end in .html, got 'report.txt'"),
    (["--late", "never"], "late must be one of matured, corrected, got 'never'"),
    (["--bounds", "0", "0.5"], "reward must lie in the declared bounds, 0 to 0.5, got 1"),
]


@pytest.mark.parametrize(("options", "says"), BAD)
def test_bad_input_is_a_sentence(
    options: list[str], says: str, log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", *POLICIES, "--log", log, *options]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ("LinUC", "did you mean 'LinUCB'?"),
        ("LinUCB:nois=1", "setting must be one of"),
        ("OracleRestart", "OracleRestart needs"),
    ],
)
def test_a_policy_that_cannot_be_made_is_told(
    policy: str, says: str, log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", policy, "--log", log]) == 2
    assert says in capsys.readouterr().err
