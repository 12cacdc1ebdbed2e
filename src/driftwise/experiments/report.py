"""The report: one HTML file that opens anywhere, with the verdicts first."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from html import escape
from importlib import metadata, resources
from string import Template

from .. import __version__
from .analysis import Analysis
from .drawing import Drawing
from .experiment import Experiment
from .findings import Findings
from .page import definitions, number, paragraph, picture, table
from .tuning import bound_regret, list_settings
from .verdicts import Result, Verdict

__all__ = ["write_report"]

_TONES = {
    Result.HOLDS: "holds",
    Result.IN_PART: "in-part",
    Result.FAILS: "fails",
    Result.UNKNOWN: "unknown",
}
# Fewer replications than this, and the percentiles of a bootstrap are too close together.
_FEW = 20


def write_report(findings: Findings, drawings: Mapping[str, Drawing]) -> str:
    """Return the page; ``drawings`` are by figure, the one of a single run is ``"one-run"``."""
    experiments = [e for e in findings.paper.experiments if e.name in findings.analyses]
    page = Template(_resource("report.html"))
    return page.substitute(
        style=_resource("report.css"),
        extent=escape(_extent(findings)),
        notices="\n".join(paragraph(text, "notice") for text in _notices(findings)),
        verdicts=_verdicts(findings),
        figures="\n".join(
            _figure(experiment, findings.analyses[experiment.name], drawings[experiment.name])
            for experiment in experiments
        ),
        inside=_one_run(findings, drawings["one-run"]),
        slopes=_slopes(findings, experiments),
        bounds=_bounds(findings),
        left_open=definitions(findings.paper.left_open),
        slips=definitions(findings.paper.slips),
        settings="\n".join(_settings(experiment) for experiment in experiments),
        again=_again(findings),
    )


def _extent(findings: Findings) -> str:
    horizons = findings.paper.experiments[0].horizons
    most = "Up to " if findings.is_interrupted else ""
    return (
        f"{most}{findings.order.replications} replications at each of {len(horizons)} horizons from"
        f" {horizons[0]:,} to {horizons[-1]:,} rounds; square brackets hold 95% intervals."
    )


def _notices(findings: Findings) -> list[str]:
    notices = []
    counts = [n for figure in findings.finished.values() for n in figure.values()]
    if findings.is_interrupted:
        parts = [
            f"{experiment.title.split(':')[0]}: "
            + ", ".join(f"{n} at {horizon:,}" for horizon, n in done.items())
            for experiment, done in zip(
                findings.paper.experiments, findings.finished.values(), strict=True
            )
        ]
        notices.append(
            f"This run was interrupted. Instead of {findings.order.replications} replications it"
            f" has: {'; '.join(parts)}."
        )
    if findings.order.quick:
        notices.append(
            "This is a quick look, on some of the paper's eight horizons. Run without --quick for"
            " the full experiment."
        )
    if min(counts) <= 1:
        notices.append("With a single replication there is no interval, and chance is not judged.")
    elif min(counts) < _FEW:
        notices.append(
            f"With fewer than {_FEW} replications bootstrap intervals come out too narrow."
        )
    return notices


def _verdicts(findings: Findings) -> str:
    items = "\n".join(_verdict(verdict) for verdict in findings.verdicts)
    return f'<ol class="verdicts">\n{items}\n</ol>'


def _verdict(verdict: Verdict) -> str:
    figure = verdict.figure.replace("-", " ").capitalize()
    return (
        f'<li class="verdict {_TONES[verdict.result]}">'
        f'<span class="badge">{escape(verdict.result.value.capitalize())}</span>'
        f"<h3>{escape(verdict.claim.title)} ({figure})</h3>"
        f'<p class="quote">The paper: “{escape(verdict.claim.quote)}”.</p>'
        f"{paragraph(verdict.sentence)}"
        f"<details><summary>The rule</summary>"
        f"{paragraph(verdict.rule)}</details></li>"
    )


def _figure(experiment: Experiment, analysis: Analysis, drawing: Drawing) -> str:
    first, second = experiment.policies
    rows = [
        (
            f"{horizon:,}",
            number(analysis.ratios[i], "{:.3f}"),
            number(analysis.means[first][i], "{:,.1f}"),
            number(analysis.means[second][i], "{:,.1f}"),
            str(n),
        )
        for i, (horizon, n) in enumerate(zip(analysis.horizons, analysis.replications, strict=True))
    ]
    rows.append(("geometric mean", number(analysis.overall_ratio, "{:.3f}"), "", "", ""))
    head = ("T", f"{first} / {second}", f"{first}, regret", f"{second}, regret", "replications")
    caption = (
        "Where no band is to be seen, the interval is narrower than the line. The same picture is"
        f" in {experiment.name}.png and {experiment.name}.svg."
    )
    return (
        f"<section>\n<h2>{escape(experiment.title)}</h2>\n{paragraph(experiment.setting)}\n"
        f"{picture(drawing, caption)}\n{table(experiment.title, head, rows)}\n</section>"
    )


def _one_run(findings: Findings, drawing: Drawing) -> str:
    experiment = findings.paper.experiments[-1]
    return paragraph(
        f"The first replication of {experiment.title.split(':')[0]} at"
        f" {experiment.horizons[0]:,} rounds. This world was chosen because it swings faster"
        " than SW-UCB, which does not know the variation, can follow: its window holds several"
        " whole swings, so it sees their average and plays the same arm on and on. BOB's windows are never longer than a block;"
        " short ones forget before they have learnt, long ones follow. The last row tells how"
        " often BOB drew each window and what the window cost."
    ) + picture(drawing, f"{drawing.words} The same picture is in one-run.png and one-run.svg.")


def _slopes(findings: Findings, experiments: list[Experiment]) -> str:
    rows = []
    for experiment in experiments:
        for policy in experiment.policies:
            slope = findings.analyses[experiment.name].slopes[policy]
            exponent = experiment.exponent(policy)
            gap = "none" if slope is None else f"{slope.value - exponent:+.3f}"
            figure = experiment.title.split(":")[0]
            rows.append((f"{figure}, {policy}", number(slope, "{:.3f}"), f"{exponent:.3f}", gap))
    return table("Slopes", ("figure, policy", "measured", "theory", "difference"), rows)


def _bounds(findings: Findings) -> str:
    experiment = findings.paper.experiments[0]
    if experiment.name not in findings.analyses:
        return paragraph("No replication of Figure 1 was finished.")
    bounds = bound_regret(experiment, findings.analyses[experiment.name], "SW-UCB")
    factors = [bound.allowed / bound.measured for bound in bounds]
    is_empty = all(bound.allowed >= bound.worst for bound in bounds)
    rows = [
        (
            f"{bound.horizon:,}",
            f"{bound.measured:,.1f}",
            f"{bound.allowed:,.0f}",
            f"{factor:.0f}",
            f"{bound.worst:,.0f}",
        )
        for bound, factor in zip(bounds, factors, strict=True)
    ]
    text = (
        "The proof of Theorem 3 ends in an explicit bound on SW-UCB's expected regret. It is put"
        " beside what was measured in Figure 1, for the variation that the world really has. The"
        f" measured regret is {'below' if min(factors) >= 1.0 else 'not always below'} the bound:"
        f" the bound is {min(factors):.0f} to {max(factors):.0f} times as large."
    )
    if is_empty:
        text += (
            " At these horizons it is still above the regret of playing the worse arm in every"
            " round, so here it says nothing about any policy; its growth is what counts."
        )
    head = ("T", "measured", "bound", "bound / measured", "always the worse arm")
    return paragraph(text) + table("SW-UCB's bound", head, rows)


def _settings(experiment: Experiment) -> str:
    rows = list_settings(experiment)
    cells = [[escape(value) for value in row.values()] for row in rows]
    title = experiment.title.split(":")[0]
    return f"<h3>{escape(title)}</h3>\n" + table(title, list(rows[0]), cells, "settings")


def _again(findings: Findings) -> str:
    others = ("numpy", "numba", "polars", "matplotlib")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in others)
    return (
        f"<pre><code>{escape(findings.order.command)}</code></pre>\n"
        + paragraph(
            f"Seed {findings.order.seed}; every replication has a seed of its own, derived from it"
            " and listed in numbers.csv. The number of jobs changes nothing."
        )
        + paragraph(
            f"Made with driftwise {__version__}, {versions}, Python {platform.python_version()}."
        )
    )


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
