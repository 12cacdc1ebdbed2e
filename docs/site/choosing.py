"""The decision tree of the guide to policies, with what the published scoreboard measured at its leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from matplotlib.axes import Axes

import driftwise as dw
from driftwise.experiments.figures.drawing import Drawing, blank, look, render, tidy
from driftwise.scores import Option

__all__ = ["decision_tree", "draw_tree", "leaves"]

_QUESTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "Actions": {
        "are the same in every round": {"n_arms": 5},
        "have features, and change": {"dimension": 5},
    },
    "Rewards": {
        "are amounts": {"rewards": "amounts", "noise": 0.1},
        "are clicks, 0 or 1": {"rewards": "clicks"},
    },
    "Rewards come": {"at once": {"is_late": False}, "late, or never": {"is_late": True}},
}
_TOLD: dict[str, Any] = {"horizon": 10_000, "variation": 2.0, "parameter_norm": 1.0}
_BEST, _PROVED = "#0072B2", "#D55E00"
_LEAF = 0.72  # inches
_COLUMNS = (0.01, 0.19, 0.36)  # where the answers to each question stand, of the width
_LEFT, _WIDTH = 0.53, 0.24  # of the scale


class Leaf(NamedTuple):
    """What to take where questions are answered in one way."""

    answers: tuple[str, ...]  # to the first questions; the others make no difference
    best: Option
    proved: Option
    n_scenarios: int

    @property
    def said(self) -> tuple[str, str]:
        """What to take, and what it costs, with a proof and without."""
        return _said(self.best), _said(self.proved)


def leaves() -> list[Leaf]:
    """Return all leaves from the top; a branch is as deep as its answers differ."""
    return list(_branch(list(_QUESTIONS), {}, ()))


def decision_tree() -> str:
    """Return nested lists."""
    lines: list[str] = []
    path: tuple[str, ...] = ()
    for leaf in leaves():
        questions = list(zip(_QUESTIONS, leaf.answers, strict=False))
        for depth, (question, answer) in enumerate(questions):
            if leaf.answers[: depth + 1] != path[: depth + 1]:
                lines.append(f"{'  ' * depth}- **{question} {answer}**")
        path = leaf.answers
        indent, (best, proved) = "  " * len(path), leaf.said
        lines += [
            f"{indent}- take {best}, in {leaf.n_scenarios} scenarios",
            f"{indent}- with a proof, take {proved}",
        ]
    return "\n".join(lines)


def draw_tree() -> Drawing:
    """Draw the questions, and on one scale what the answers cost: the mean, and the worst scenario."""
    found = leaves()
    with look():
        figure = blank(8.4, _LEAF * len(found) + 0.9)
        tall = _LEAF * len(found) / figure.get_figheight()
        axes = figure.add_axes((_LEFT, 0.55 / figure.get_figheight(), _WIDTH, tall))
        _write_questions(axes, found)
        for place, leaf in enumerate(found):
            _draw_option(axes, place - 0.17, leaf.best, _BEST)
            _draw_option(axes, place + 0.17, leaf.proved, _PROVED)
        axes.axvline(1.0, color="#888888", lw=0.8, ls=(0, (4.0, 3.0)), zorder=0)
        axes.set(xscale="log", yticks=[], ylim=(len(found) - 0.5, -0.5))
        axes.set_xlabel("regret over the best window's", fontsize=9.5)
        axes.set_xticks([0.5, 1, 2, 5, 10], ["0.5", "1", "2", "5", "10"], minor=False)
        axes.tick_params(which="minor", length=0, labelbottom=False)
        axes.spines["left"].set_visible(False)
        tidy(axes)
        for left, text, colour in ((_LEFT, "the best", _BEST), (0.65, "with a proof", _PROVED)):
            figure.text(left, 0.995, text, color=colour, weight="bold", va="top", fontsize=10.0)
        return render(figure, _words(found), ("svg",))


def _branch(
    questions: list[str], known: dict[str, Any], answers: tuple[str, ...]
) -> Iterator[Leaf]:
    below = list(_all_below(questions, known, answers))
    if len({leaf.said for leaf in below}) == 1:
        yield below[0]._replace(answers=answers)
        return
    first, *rest = questions
    for answer, facts in _QUESTIONS[first].items():
        yield from _branch(rest, known | facts, (*answers, answer))


def _all_below(
    questions: list[str], known: dict[str, Any], answers: tuple[str, ...]
) -> Iterator[Leaf]:
    """Yield what is recommended for every way to answer the questions that are left."""
    if questions:
        for facts in _QUESTIONS[questions[0]].values():
            yield from _all_below(questions[1:], known | facts, answers)
        return
    free = dw.recommend(**known, **_TOLD)
    proved = dw.recommend(**known, **_TOLD, needs_guarantee=True)
    yield Leaf(answers, free.best, proved.best, len(free.scenarios))


def _said(option: Option) -> str:
    return (
        f"[`{option.name}`](../policies/{option.name}.md): {option.geometric_mean:.2f},"
        f" at worst {option.worst:.2f}"
    )


def _write_questions(axes: Axes, found: list[Leaf]) -> None:
    """Write each answer in the middle of the leaves that it leads to, and lines between branches."""
    to_axes = {left: (left - _LEFT) / _WIDTH for left in _COLUMNS}
    for depth, left in enumerate(_COLUMNS):
        branches = dict[tuple[str, ...], list[int]]()
        for place, leaf in enumerate(found):
            if len(leaf.answers) > depth:
                branches.setdefault(leaf.answers[: depth + 1], []).append(place)
        for answers, places in branches.items():
            answer = answers[-1].replace(" in every", "\nin every").replace(", and", ",\nand")
            written = ((list(_QUESTIONS)[depth], "bottom", "normal"), (answer, "top", "bold"))
            for text, side, weight in written:
                axes.text(
                    to_axes[left], (places[0] + places[-1]) / 2, text, va=side, weight=weight,
                    transform=axes.get_yaxis_transform(), fontsize=9.0,
                )  # fmt: skip
            if places[0]:
                axes.plot(
                    [to_axes[left], 2.0], [places[0] - 0.5] * 2, color="#cccccc", lw=0.8,
                    transform=axes.get_yaxis_transform(), clip_on=False,
                )  # fmt: skip


def _draw_option(axes: Axes, height: float, option: Option, colour: str) -> None:
    axes.plot([option.geometric_mean, option.worst], [height] * 2, color=colour, lw=1.4)
    axes.plot([option.geometric_mean], [height], "o", color=colour, ms=5.0)
    axes.text(
        1.04, height, f"{option.name} {option.geometric_mean:.2f}", va="center", color=colour,
        fontsize=9.0, transform=axes.get_yaxis_transform(),
    )  # fmt: skip


def _words(found: list[Leaf]) -> str:
    parts = (
        f"{', '.join(map(' '.join, zip(_QUESTIONS, leaf.answers, strict=False)))}: {leaf.best.name} {leaf.best.geometric_mean:.2f},"
        f" with a proof {leaf.proved.name} {leaf.proved.geometric_mean:.2f}"
        for leaf in found
    )
    return f"What to take, and its regret over that of the best window. {'. '.join(parts)}."
