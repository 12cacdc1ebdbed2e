from __future__ import annotations

import base64
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import driftwise
from driftwise.experiments.analysis.bound import bound_regret
from driftwise.experiments.analysis.findings import Findings
from driftwise.experiments.figures import Drawing, draw_all
from driftwise.experiments.report import write_report
from driftwise.experiments.report.bound import list_bounds
from driftwise.experiments.report.overview import describe_run, notices_of
from driftwise.experiments.spec.experiment import Claim, Note

EMPTY = {"meta", "link", "img", "br", "hr", "input"}
COMMAND = "driftwise run small --seed <7> & more"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


class Page(HTMLParser):
    """Collects what a test wants to know, and insists that every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.downloads: dict[str, str] = {}
        self.images: list[dict[str, str | None]] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.addresses += [named[key] or "" for key in ("src", "href", "srcset") if key in named]
        self.ids += [named["id"] or ""] if "id" in named else []
        if tag == "img":
            self.images.append(named)
        if "download" in named:
            _, _, data = (named["href"] or "").partition("base64,")
            self.downloads[named["download"] or ""] = base64.b64decode(data).decode()
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def findings(small_findings: Findings) -> Findings:
    """The small run, with claims, and with notes that try to break out of the page."""
    experiment = replace(
        small_findings.experiment,
        claims=(Claim("Who <wins>", "one & the other", "much-smaller", 0.5),),
        notes=(
            Note("Left open", "Ridge", "λ = 1 < 2 and B_T is T^(1/3)"),
            Note("Left open", "</script>", "<script>alert(1)</script>"),
            Note("Slips", "Sums", "None."),
        ),
    )
    return replace(small_findings, experiment=experiment)


@pytest.fixture(scope="module")
def drawings(findings: Findings) -> dict[str, Drawing]:
    return draw_all(findings)


@pytest.fixture(scope="module")
def text(findings: Findings, drawings: dict[str, Drawing]) -> str:
    return write_report("Small <run>", [findings], [drawings], command=COMMAND)


def charts_of(text: str) -> Any:
    found = re.search(r'id="charts">(.*?)</script>', text, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_report_is_one_file(text: str, drawings: dict[str, Drawing]) -> None:
    page = Page(text)
    own = {f"{name}.{ending}" for name in drawings for ending in ("png", "svg")}
    outside = [each for each in page.addresses if not each.startswith(("data:", "#"))]
    assert set(outside) == own | {"results.parquet"}  # they lie beside it, and only on a click
    assert len(page.ids) == len(set(page.ids))
    assert {each[1:] for each in page.addresses if each.startswith("#")} <= set(page.ids)
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert len(page.images) == len(drawings)
    assert all(len(image["alt"] or "") > 50 for image in page.images)
    assert "The MIT License" in text  # of the chart library inside


def test_nothing_from_outside_becomes_markup(text: str) -> None:
    assert "<h1>Small &lt;run&gt;</h1>" in text
    assert "alert(1)</script>" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert text.count("<script") == 3
    assert "driftwise run small --seed &lt;7&gt; &amp; more" in text
    assert "B<sub>T</sub> is T<sup>1/3</sup>" in text


def test_the_report_opens_with_the_verdicts(findings: Findings, text: str) -> None:
    plain = unescape(text)
    for verdict in findings.verdicts:
        for part in (verdict.result.value.capitalize(), verdict.claim.quote, verdict.sentence):
            assert 0 < plain.index(part) < plain.index("<figure")
        assert verdict.rule in plain


def test_tables_hold_every_policy_and_say_how_good_it_was(findings: Findings, text: str) -> None:
    for standings in findings.standings:
        title = f'aria-label="{standings.world} at T = {standings.horizon:,}"'
        table = text[text.index(title) :]
        table = table[: table.index("</table>")]
        for row in standings.standings:
            assert f'<th scope="row">{row.policy}</th>' in table
            assert "{:.2f} <span".format(row.ratios["best fixed window"].value) in table
    assert "Best in hindsight: best fixed window: window " in text
    slope = findings.growth["slow"][0].slope
    assert slope is not None
    assert f"<td>{slope.value:.3f} <span" in text


def test_charts_have_the_numbers_of_the_findings(findings: Findings, text: str) -> None:
    charts = charts_of(text)
    assert len(charts) == 4
    time = charts[0]
    assert [each["name"] for each in time["series"]] == [
        row.policy for row in next(s for s in findings.standings if s.horizon == 600).standings
    ]
    curve = findings.curves("slow", 600)[0]
    drawn = next(each for each in time["series"] if each["name"] == curve.policy)
    assert time["x"] == [0, *curve.rounds.tolist()]
    assert drawn["mean"] == pytest.approx([0.0, *curve.mean], rel=1e-8)
    assert drawn["high"] == pytest.approx([0.0, *curve.high], rel=1e-8)
    growth = next(each for each in charts[1]["series"] if each["name"] == "SW-UCB")
    assert growth["theory"][1] == pytest.approx(growth["mean"][0] * 2 ** (2 / 3), rel=1e-8)


def test_every_number_can_be_downloaded(findings: Findings, text: str) -> None:
    files = Page(text).downloads
    assert files["small.toml"] == findings.experiment.text
    frames = {
        name: pl.read_csv(io.StringIO(content))
        for name, content in files.items()
        if name.endswith(".csv")
    }
    last = findings.numbers.filter(pl.col("round") == pl.col("horizon"))
    assert frames["small-replications.csv"]["regret"].to_list() == last["regret"].to_list()
    assert len(frames["small-summary.csv"]) == 2 * 2 * 2  # worlds, horizons, contestants
    assert len(frames["small-curves.csv"]) == 2 * 2 * 5  # worlds, contestants, checkpoints
    assert len(frames["small-slopes.csv"]) == 2 * 2


def test_the_report_says_how_to_get_it_again(text: str) -> None:
    made_with = re.escape(f"driftwise {driftwise.__version__}, numpy ")
    assert re.search(made_with + r"\d+.*numba \d+.*polars \d+.*Python 3\.", text)
    assert "Seed 7;" in text
    assert 'scope="row" class="setting">window</th>' in text
    assert 'scope="row" class="setting">radius</th>' in text


def test_two_experiments_share_a_page(
    findings: Findings, drawings: dict[str, Drawing], text: str
) -> None:
    both = write_report("Two", [findings, findings], [drawings, drawings], command="x")
    page = Page(both)
    assert len(page.ids) == len(set(page.ids))
    assert "small/growth-slow.svg" in page.addresses
    assert len(charts_of(both)) == 8
    # The same findings always give the same page.
    assert write_report("Small <run>", [findings], [drawings], command=COMMAND) == text


def test_weak_numbers_are_announced(findings: Findings) -> None:
    (few,) = notices_of([findings])
    assert "fewer than 20" in few
    quick = replace(findings, experiment=replace(findings.experiment, is_quick=True))
    assert "--quick" in notices_of([quick, quick])[0]
    assert len(notices_of([quick, quick])) == 2
    numbers = findings.numbers.filter(
        (pl.col("replication") == 0) & ((pl.col("world") == "slow") | (pl.col("horizon") == 300))
    )
    cut, lone = notices_of([replace(findings, numbers=numbers, missing=(object(),))])  # type: ignore[arg-type]  # anything that is missing
    assert "1 in slow at 300" in cut
    assert "none at 1 of 4" in cut
    assert "single replication" in lone


def test_a_policy_inside_of_a_policy_is_spelled_as_elsewhere(findings: Findings) -> None:
    inner = replace(findings.experiment.policies[1], settings={"base": {"name": "RestartUCB"}})
    experiment = replace(findings.experiment, policies=(findings.experiment.policies[0], inner))
    said = describe_run(replace(findings, experiment=experiment))
    assert "BOB: BanditOverBandit with base = RestartUCB, tuned" in said


def test_no_name_of_a_table_is_broken_apart(text: str) -> None:
    style = text[text.index("<style>") : text.index("</style>")]
    breaking = re.findall(r"([^{}]*){[^}]*overflow-wrap: anywhere", style)
    assert breaking
    assert not any(re.search(r"\bt[dh]\b", selector) for selector in breaking)


def test_no_number_of_the_settings_is_broken_apart(text: str) -> None:
    settings = text[text.index('<table class="settings">') :]
    settings = settings[: settings.index("</table>")]
    numbers = re.findall(r"<td((?! colspan)[^>]*)>[\d.,e-]+</td>", settings)
    assert numbers
    assert set(numbers) == {' class="whole"'}
    assert ".settings td.whole { white-space: nowrap; }" in text


def test_the_bound_is_about_sliding_windows_only(findings: Findings) -> None:
    assert bound_regret(findings, "slow", "BOB") == []
    bounds = bound_regret(findings, "slow", "SW-UCB")
    assert [bound.horizon for bound in bounds] == [300, 600]
    # Arms at 0.5 + 0.3 sin and 0.5 - 0.3 sin: the gap is 0.6 |sin|, on average 0.6 * 2 / pi.
    assert bounds[1].worst == pytest.approx(600 * 0.6 * 2 / 3.14159, rel=0.01)
    assert bounds[1].allowed > bounds[1].measured > 0.0
    said = "\n".join(list_bounds(findings))
    assert re.search(r"the bound is \d+ to \d+ times as large", said)
    shortest = findings.numbers.filter(pl.col("horizon") == 300)
    (said, *_) = list_bounds(replace(findings, numbers=shortest))
    assert re.search(r"the bound is \d+ times as large", said)


PROBE = """<script>addEventListener("load", () => setTimeout(async () => {
  const over = document.querySelector(".u-over"), told = {};
  const rest = () => new Promise((done) => setTimeout(done, 50));
  const send = (kind, x, y) => {
    const box = over.getBoundingClientRect();
    over.dispatchEvent(new MouseEvent(kind, { bubbles: true, button: 0, movementX: 9,
      clientX: box.left + x * box.width, clientY: box.top + y * box.height }));
  };
  const hover = async () => { await rest(); send("mousemove", 0.01, 0.5); await rest(); return document.querySelector(".tip").textContent; };
  send("mouseenter", 0.01, 0.5);
  told.before = await hover();
  send("mousedown", 0.6, 0.5); send("mousemove", 0.98, 0.5);
  send("mouseup", 0.98, 0.5);
  told.zoomed = await hover();
  send("dblclick", 0.5, 0.5);
  told.after = await hover();
  told.caption = document.querySelector(".values caption").textContent;
  told.canvases = document.querySelectorAll(".live canvas").length;
  told.images = [...document.images].map((each) => each.naturalWidth);
  told.requests = performance.getEntriesByType("resource").map((each) => each.name).filter((each) => !each.startsWith("data:"));
  told.overflow = document.documentElement.scrollWidth - innerWidth;
  told.open = document.querySelectorAll(".still[open]").length;
  told.rows = [...document.querySelectorAll(".standings tbody th")].map((each) => each.textContent);
  document.body.dataset.told = JSON.stringify(told);
}, 200));</script></body>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_report_works_in_a_browser(text: str, tmp_path: Path) -> None:
    copy = tmp_path / "report.html"
    copy.write_text(text.replace("</body>", PROBE), "utf-8")
    browser = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-quic", "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}",
            "--window-size=500,800", "--virtual-time-budget=5000", "--dump-dom", copy.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "CONSOLE" not in browser.stderr
    found = re.search(r'data-told="([^"]*)"', browser.stdout)
    assert found is not None
    told = json.loads(unescape(found[1]))
    assert told["canvases"] == 4
    assert told["open"] == 0  # still pictures are folded once there are charts
    assert re.fullmatch(r"(SW-UCB|BOB)round 0: 0 \[0, 0\] reward", told["before"])
    zoomed = re.search(r"round (\d+): [\d.]+ \[[\d.]+, [\d.]+\] reward", told["zoomed"])
    assert zoomed is not None
    assert 360 <= int(zoomed[1]) <= 480  # the checkpoints next to 60% of 600 rounds
    assert told["after"] == told["before"]
    assert told["caption"] == "At round 0: mean regret [95% interval]"
    assert told["requests"] == []
    assert len(told["images"]) == 10
    assert min(told["images"]) > 0
    assert told["overflow"] <= 0  # tables and pictures scroll by themselves; the page does not
    assert sorted(set(told["rows"])) == ["BOB", "SW-UCB"]
