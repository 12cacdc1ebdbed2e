"""What an evaluation found, as one HTML page in the house style: the answer first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

import numpy as np

from ..logs.soundness import Soundness
from ..pages.charts import Chart, series
from ..pages.palette import styles_of
from ..pages.pieces import definitions, paragraph, table
from ..pages.whole import Part, write_page
from .gains import Gain, Gains
from .results import Course, Difference, Evaluated, Evaluation, spelled

__all__ = ["evaluation_page", "forgetting_page"]

_MOST_SHOWN = 8  # lines that can be followed
_ROWS = 12  # of a table that stands for a chart
_ONE_LOOK = (
    "Bands are right for one look at one moment; whoever looks again and again will see them fail."
)
_PAIRED = "Paired: both are scored on the same events, so what they share cancels."
_COMPARED = {
    "all traffic": "Policies play in the same drawn worlds, so what they share cancels; the log has real rewards.",
    "replay": "Not paired: each is scored on the events that it accepted.",
}
_ALL_TIMES = (
    "These bands are right at all times at once, and at whatever moment "
    "one stops looking, while the values move."
)


def evaluation_page(found: Evaluation, soundness: Soundness, *, file: str, command: str) -> str:
    """Return the report on policies.

    Parameters
    ----------
    found
        What `advice`, `share`, `all_traffic` or `replay` returned.
    soundness
        Of the log.
    file
        The name of the log.
    command
        What makes the same numbers again.
    """
    charts: list[Chart] = []
    own = [*found.values(), found.log]
    parts = [
        Part("answer", "Would it have been better?", _answers(found)),
        Part("values", "Values", _values(own) + _said(own, found.warnings)),
        Part("over-time", "Value over time", _courses(own, charts, is_sequence=False)),
        Part("all-times", "So far, for many looks", _courses(own, charts, is_sequence=True)),
        Part("differences", "Side by side", _differences(found)),
        Part("estimands", "What the values are", definitions((e.name, e.estimand) for e in own)),
        *_rest(soundness, command),
    ]
    notices = [
        f"{each.name}: {each.warnings[0]}"
        for each in found.values()
        if each.warnings and each.warnings[0] not in found.warnings
    ]
    lead = f"{', '.join(found)} as {found.kind}, on the {found.log.details['events_in_all']:,} events of {file}."
    return write_page(
        f"{', '.join(found)} on {file}",
        lead,
        [*notices, *found.warnings],
        [part for part in parts if part.body],
        charts,
    )


def forgetting_page(found: Gains, soundness: Soundness, *, file: str, command: str) -> str:
    """Return the report on forgetting; parameters as for `evaluation_page`."""
    charts: list[Chart] = []
    gains = {gain.name: gain for gain in (found.forecast, found.contrasts, found.decisions)}
    rows = [
        (
            escape(gain.name),
            gain.shown_share,
            spelled(gain.value, gain.low, gain.high),
            "all" if gain.window is None else f"{gain.window:,}",
        )
        for gain in gains.values()
    ]
    head = ("gain for", "of the squared error", "value [interval]", "window in rewards")
    shown = "".join(_gain_course(gain, charts) for gain in gains.values())
    parts = [
        Part("answer", "Does forgetting pay?", _verdicts(_pays(g) for g in gains.values())),
        Part("gains", "Three numbers", table("Gains", head, rows) + _warned(gains)),
        Part("over-time", "Gains over time", shown),
        Part(
            "estimands",
            "What the gains are",
            definitions((g.name, g.estimand) for g in gains.values()),
        ),
        *_rest(soundness, command),
    ]
    return write_page(
        f"Forgetting on {file}",
        found.says,
        found.warnings,
        [part for part in parts if part.body],
        charts,
    )


def _rest(soundness: Soundness, command: str) -> list[Part]:
    findings = "\n".join(
        f"<dt>{escape(each.severity)}: {escape(each.name)}</dt>"
        + "".join(
            f"<dd>{escape(text)}</dd>" for text in (each.says, each.means, each.advice) if text
        )
        for each in soundness.findings
    )
    how = paragraph("Charts are drawn by uPlot (MIT licence, Copyright (c) 2022 Leon Sorokin).")
    return [
        Part("soundness", "Can the log be trusted?", f'<dl class="facts">\n{findings}\n</dl>'),
        Part(
            "again",
            "How to make this page again",
            f"<pre><code>{escape(command)}</code></pre>{how}",
        ),
    ]


Answer = tuple[str, str, str]  # tone, badge, sentence


def _answers(found: Evaluation) -> str:
    return _verdicts(_better(each) for each in found.differences if each.second == found.log.name)


def _better(gap: Difference) -> Answer:
    if gap.is_rejected:
        return "unknown", "Model rejected", gap.says
    if math.isnan(gap.low) or gap.is_thin:
        return "unknown", "Cannot be told", gap.says
    if gap.low > 0.0:
        return "holds", "Better", gap.says
    return ("fails", "Worse", gap.says) if gap.high < 0.0 else ("in-part", "Not seen", gap.says)


def _pays(gain: Gain) -> Answer:
    if math.isnan(gain.low):
        return "unknown", "Cannot be told", gain.says
    if gain.pays:
        return "holds", "Pays", gain.says
    return ("fails", "Harms", gain.says) if gain.high < 0.0 else ("in-part", "Not seen", gain.says)


def _verdicts(answers: Iterable[Answer]) -> str:
    items = "\n".join(
        f'<li class="verdict {tone}"><span class="badge">{escape(badge)}</span>{paragraph(says)}</li>'
        for tone, badge, says in answers
    )
    return f'<ol class="verdicts">\n{items}\n</ol>'


def _values(own: Sequence[Evaluated]) -> str:
    shown = [
        (name, one)
        for each in own
        for name, one in (
            *((f"{each.name} as {free.name}", free) for free in each.instead),
            (each.name, each),
        )
    ]
    rows = [
        (
            escape(name),
            spelled(one.value, one.low, one.high),
            f"{one.events:,}",
            f"{one.effective:,.0f}",
        )
        for name, one in shown
    ]
    head = ("policy", "reward per event [interval]", "events scored", "effective sample")
    return table("Values", head, rows)


def _said(own: Sequence[Evaluated], told: Collection[str]) -> str:
    said = [(each.name, text) for each in own for text in each.warnings if text not in told]
    return f"<h3>What must be known about them</h3>{definitions(said)}" if said else ""


def _warned(gains: Mapping[str, Gain]) -> str:
    said = [(name, text) for name, gain in gains.items() for text in gain.warnings]
    return f"<h3>What must be known about them</h3>{definitions(said)}" if said else ""


def _differences(found: Evaluation) -> str:
    rows = [
        (
            escape(f"{each.first} − {each.second}"),  # noqa: RUF001 (a minus sign)
            spelled(each.value, each.low, each.high),
            escape(each.says),
        )
        for each in found.differences
    ]
    head = ("difference", "reward per event [interval]", "in words")
    how = _COMPARED.get(found.kind, _PAIRED)
    return table("Differences", head, rows, "settings") + paragraph(how, "note")


def _courses(own: Sequence[Evaluated], charts: list[Chart], *, is_sequence: bool) -> str:
    told = {e.name: e.sequence if is_sequence else e.over_time for e in own}
    courses = {name: course for name, course in told.items() if course is not None}
    if not courses or (is_sequence and set(courses) == {"log"}):
        return ""
    first = next(iter(courses.values()))
    alike = {
        name: course
        for name, course in courses.items()
        if np.array_equal(course.events, first.events)
    }
    name = "chart-all-times" if is_sequence else "chart-over-time"
    charts.append(_chart(name, "Mean so far" if is_sequence else "Value over time", alike))
    return _figure(name, alike, f"{_sentence(first)} {_ALL_TIMES if is_sequence else _ONE_LOOK}")


def _gain_course(gain: Gain, charts: list[Chart]) -> str:
    if gain.over_time is None:
        return ""
    name = f"chart-{gain.name}"
    courses = {gain.name: gain.over_time}
    charts.append(_chart(name, f"Gain for {gain.name}", courses, "gain"))
    return _figure(name, courses, _sentence(gain.over_time))


def _chart(
    name: str, title: str, courses: Mapping[str, Course], what: str = "reward per event"
) -> Chart:
    styles = styles_of(list(courses), yardstick="log")
    return {
        "id": name,
        "title": title,
        "isLog": False,
        "x": next(iter(courses.values())).events.tolist(),
        "xName": "event",
        "xLabel": "event",
        "yName": what,
        "what": what,
        "series": [
            series(
                label,
                styles[label],
                is_shown=place < _MOST_SHOWN,
                mean=course.value,
                low=course.low if np.isfinite(course.low).any() else None,
                high=course.high if np.isfinite(course.high).any() else None,
            )
            for place, (label, course) in enumerate(courses.items())
        ],
    }


def _sentence(course: Course) -> str:
    return f"{course.kind[0].upper()}{course.kind[1:]}."


def _figure(name: str, courses: Mapping[str, Course], caption: str) -> str:
    """Return the place of a chart, with some of its numbers for those without scripts."""
    events = next(iter(courses.values())).events
    at = np.unique(np.linspace(0, len(events) - 1, min(_ROWS, len(events))).astype(int))
    rows = [
        (
            f"{events[i]:,}",
            *(spelled(c.value[i], c.low[i], c.high[i]) for c in courses.values()),
        )
        for i in at
    ]
    numbers = table("Numbers", ("event", *courses), rows)
    return (
        f'<figure class="chart" id="{name}"><div class="live"></div>'
        f'<details class="still" open><summary>Some of the numbers</summary>{numbers}</details>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
