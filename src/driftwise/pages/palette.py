"""Which colour and which line belong to whom, the same in every picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["ARM_COLOURS", "GREY", "LINES", "Style", "arm_styles", "styles_of"]

GREY = "#8c8c8c"
# Okabe and Ito's palette without its yellow, which white paper swallows.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Of arms and coordinates, and of no policy, so that no line is taken for one. Tol's indigo, olive, wine
# and teal, then violet and brown: the colour-blind tell any two of them apart at least as well as those
# above. The first two are farthest from each other.
ARM_COLOURS = ("#332288", "#999933", "#882255", "#44AA99", "#8866EE", "#661100")
# Where colours are used up, the line tells apart, and so does the marker.
LINES: tuple[tuple[str | tuple[int, tuple[float, ...]], str], ...] = (
    ("solid", "o"),
    ((0, (5.0, 1.6)), "s"),
    ((0, (1.4, 1.4)), "^"),
    ((0, (6.0, 1.6, 1.4, 1.6)), "D"),
    ((0, (3.0, 1.2, 1.2, 1.2, 1.2, 1.2)), "v"),
    ((0, (9.0, 2.4)), "P"),
    ((0, (1.0, 3.0)), "X"),
)
_INK = "#333333"
# Policies that meet in many experiments keep their colour in all of them.
_HOMES = {
    "SlidingWindowUCB": 0,
    "AdaptiveUCB": 1,
    "Exp3S": 1,
    "BanditOverBandit": 2,
    "DiscountedLinUCB": 3,
    "RestartUCB": 4,
    "LinUCB": 5,
}


class Style(NamedTuple):
    """How a policy or an arm is drawn."""

    colour: str
    line: str | tuple[int, tuple[float, ...]]
    marker: str


def styles_of(
    names: Sequence[str], yardstick: str = "", kinds: Mapping[str, str] | None = None
) -> dict[str, Style]:
    """Return a style for each name; the yardstick's is plain ink.

    Some policies have a colour of their own, if no other of their kind comes first; all others
    take what is left, by their place in the list. ``kinds`` are the classes behind the names,
    where names are not classes.

    Examples
    --------
    >>> styles = styles_of(["Uniform", "SlidingWindowUCB", "LinTS"], yardstick="Uniform")
    >>> [styles[name].colour for name in styles]
    ['#333333', '#0072B2', '#D55E00']
    >>> [style.colour for style in styles_of(["AdaptiveUCB", "LinUCB"]).values()]
    ['#D55E00', '#56B4E9']
    """
    kinds = kinds or {}
    others = [name for name in names if name != yardstick]
    slots: dict[int, str] = {}
    for name in others:
        home = _HOMES.get(kinds.get(name, name))
        if home is not None:
            slots.setdefault(home, name)
    homeless = [name for name in others if name not in slots.values()]
    free = (slot for slot in range(len(others) + len(_HOMES)) if slot not in slots)
    slots = dict(zip(free, homeless, strict=False)) | slots
    styles = {name: _style(slot) for slot, name in slots.items()}
    plain = Style(_INK, (0, (2.0, 1.0)), "x")
    return {name: styles.get(name, plain) for name in names}


def arm_styles(count: int) -> list[Style]:
    """Return a style for each arm, or each coordinate, by its number.

    Examples
    --------
    >>> [style.colour for style in arm_styles(2)]
    ['#332288', '#999933']
    """
    return [_style(slot, ARM_COLOURS) for slot in range(count)]


def _style(slot: int, colours: Sequence[str] = _COLOURS) -> Style:
    line, marker = LINES[slot // len(colours) % len(LINES)]
    return Style(colours[slot % len(colours)], line, marker)
