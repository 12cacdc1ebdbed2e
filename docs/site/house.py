"""The house as a picture: rooms and floors as the import contracts of pyproject.toml have them."""

from __future__ import annotations

import importlib
import inspect
import tomllib
from pathlib import Path

from driftwise.experiments.figures.drawing import Drawing, blank, look, render

from .markdown import plain, table

__all__ = ["draw_house", "floors_of", "rooms_table"]

_WHOLE, _CORE = "Imports point one way", "Rooms of the core"
_FLOOR = 0.42  # inches
_COLOURS = {"driftwise": "#0072B2", "driftwise.core": "#009E73"}


def floors_of(root: Path, contract: str) -> list[list[str]]:
    """Return the rooms of a layers contract, the ground floor first; what is on one floor is a list."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    (found,) = (
        each for each in project["tool"]["importlinter"]["contracts"] if each["name"] == contract
    )
    prefix = f"{found['containers'][0]}." if "containers" in found else ""
    floors = [[prefix + room for room in layer.split(" | ")] for layer in found["layers"]]
    return floors[::-1]


def rooms_table(root: Path) -> str:
    """Return every room of both contracts, from the top, and what lives there."""
    floors = [*floors_of(root, _WHOLE)[::-1], *floors_of(root, _CORE)[::-1]]
    rows = [
        (f"`{room.removeprefix('driftwise.')}`", plain(_about(room)))
        for floor in floors
        for room in floor
        if not room.endswith("__main__")
    ]
    return table(("room", "what lives there"), rows)


def draw_house(root: Path) -> Drawing:
    """Draw the floors of the package, and those inside its ground floor, the core."""
    houses = {
        "driftwise": [floor for floor in floors_of(root, _WHOLE) if "__main__" not in floor[0]],
        "driftwise.core": floors_of(root, _CORE),
    }
    tallest = max(map(len, houses.values()))
    with look():
        figure = blank(8.4, _FLOOR * (tallest + 1.4))
        for place, (name, floors) in enumerate(houses.items()):
            axes = figure.add_axes((0.01 + 0.6 * place, 0.0, 0.58 if place == 0 else 0.38, 1.0))
            axes.set(xlim=(0, 1), ylim=(0, tallest + 1.4))
            axes.axis("off")
            for height, rooms in enumerate(floors):
                _draw_floor(axes, height, [room.rpartition(".")[2] for room in rooms], name)
            axes.text(0.0, len(floors) + 0.3, name, weight="bold", fontsize=11)
        return render(figure, _words(houses), ("svg",))


def _draw_floor(axes: object, height: int, rooms: list[str], house: str) -> None:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

    assert isinstance(axes, Axes)
    width = 1.0 / len(rooms)
    for i, room in enumerate(rooms):
        box = Rectangle(
            (i * width + 0.004, height + 0.06), width - 0.008, 0.86, lw=1.2,
            facecolor=f"{_COLOURS[house]}22", edgecolor=_COLOURS[house],
        )  # fmt: skip
        axes.add_patch(box)
        middle = (i + 0.5) * width
        axes.text(middle, height + 0.48, room, ha="center", va="center", fontsize=9.0)


def _words(houses: dict[str, list[list[str]]]) -> str:
    parts = []
    for name, floors in houses.items():
        shown = "; ".join(", ".join(room.rpartition(".")[2] for room in floor) for floor in floors)
        parts.append(f"The floors of {name}, from the ground: {shown}.")
    return " ".join(parts)


def _about(room: str) -> str:
    return (inspect.getdoc(importlib.import_module(room)) or "").split("\n\n")[0].replace("\n", " ")
