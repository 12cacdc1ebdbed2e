"""The bikes of the tutorial on real data, evaluated when the site is built, where the data are."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from driftwise.evaluation import forgetting, value
from driftwise.evaluation.results import Course
from driftwise.experiments.figures.drawing import Drawing, blank, look, render, tidy
from driftwise.pages.palette import ARM_COLOURS

from .markdown import plain, table

__all__ = ["bikes"]

_PLACE = "tutorials/pictures/bikes.svg"
_WINDOW = 1000  # hours, six weeks


def bikes(root: Path) -> tuple[str, dict[str, bytes]]:
    """Return Markdown, and its picture by place; a sentence and none where the data are not."""
    if find_spec("ISLP") is None:
        return "This page was built without the data (`make data`), so that its picture is missing.", {}  # fmt: skip
    example = runpy.run_path(str(root / "examples" / "bikes.py"))
    rows, rewards, times = example["problem"](example["data_file"]())
    log = example["logged"](rows, rewards, times)
    levels = [f"{level:g}" for level in example["LEVELS"]]
    found = [value(log, row, window=_WINDOW) for row in range(len(levels))]
    drawing = _drawn(levels, [each.over_time for each in found if each.over_time is not None])
    numbers = table(
        ("bikes", "reward per hour, from the log", "true"),
        [
            (level, f"{each.value:.4f} ({each.low:.4f} to {each.high:.4f})", f"{true:.4f}")
            for level, each, true in zip(levels, found, rewards.mean(axis=0), strict=True)
        ],
        "rlr",
    )
    says = plain(str(forgetting(log)).splitlines()[-1])
    return f"![{drawing.words}](pictures/{Path(_PLACE).name})\n\n{numbers}\n\n{says}", {
        _PLACE: drawing.svg
    }


def _drawn(levels: Sequence[str], courses: Sequence[Course]) -> Drawing:
    with look():
        figure = blank(8.4, 3.6)
        axes = figure.add_axes((0.09, 0.15, 0.76, 0.79))
        for level, each, colour in zip(levels, courses, ARM_COLOURS, strict=False):
            axes.plot(each.events, each.value, color=colour, label=level)
            axes.fill_between(each.events, each.low, each.high, color=colour, alpha=0.15, lw=0)
        axes.set(xlabel="hour of the data", ylabel="reward per hour")
        figure.legend(title="bikes staged", loc="center right", frameon=False, reverse=True)
        tidy(axes)
        return render(figure, _words(levels, courses), ("svg",))


def _words(levels: Sequence[str], courses: Sequence[Course]) -> str:
    best = np.unique(np.argmax([each.value for each in courses], axis=0))
    return (
        f"What each number of bikes would have brought, {_WINDOW:,} hours at a time, as the log tells: at one time or"
        f" another {', '.join(levels[row] for row in best)} are best"
    )
