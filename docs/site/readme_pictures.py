"""The pictures of README.md, which are committed, each for light and for dark pages: `make pictures`."""

from __future__ import annotations

import colorsys
import re
import sys
import tempfile
from pathlib import Path

from driftwise.core.base.files import write
from driftwise.experiments import read_experiment, reproduce, run

__all__ = ["FOLDER", "darkened", "readme_pictures"]

ROOT = Path(__file__).parents[2]
FOLDER = Path("docs") / "pictures"
_COLOUR = re.compile(r"#([0-9a-fA-F]{6})\b")
_NIGHT = "#0d1117"  # what is white becomes this


def readme_pictures(root: Path) -> dict[str, bytes]:
    """Draw all of them anew; return SVG files by name."""
    with tempfile.TemporaryDirectory() as scratch:
        own, paper = Path(scratch, "own"), Path(scratch, "paper")
        run(read_experiment(root / FOLDER / "regret.toml"), out=own, quiet=True)
        reproduce(quick=True, out=paper, quiet=True)
        light = {
            "regret": (own / "regret-over-time.svg").read_text("utf-8"),
            "paper": (paper / "paper-figure-1" / "growth.svg").read_text("utf-8"),
        }
    light["believes"] = (root / "docs" / "explaining.svg").read_text("utf-8")
    dark = {f"{name}-dark": darkened(picture) for name, picture in light.items()}
    del light["believes"]  # it is there, and a page has it
    return {f"{name}.svg": picture.encode() for name, picture in (light | dark).items()}


def darkened(picture: str) -> str:
    """Return a picture for dark pages: the lightness of every grey turned round, and of every dark colour.

    A colour that is light already stands out from the night as it is: turned, one could not read it.

    Examples
    --------
    >>> darkened("fill: #ffffff; stroke: #0072b2; color: #333333; fill: #cc79a7")
    'fill: #0d1117; stroke: #4dbfff; color: #cccccc; fill: #cc79a7'
    """
    return _COLOUR.sub(lambda found: _turned(found[1]), picture)


def _turned(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (0, 2, 4))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    if lightness == 1.0:
        return _NIGHT
    if saturation == 0.0 or lightness < 0.5:
        lightness = 1.0 - lightness
    turned = colorsys.hls_to_rgb(hue, lightness, saturation)
    return "#" + "".join(f"{round(255.0 * part):02x}" for part in turned)


def main() -> int:
    """Write the pictures and name them."""
    for name, content in readme_pictures(ROOT).items():
        print(write(ROOT / FOLDER / name, content))
    return 0


if __name__ == "__main__":
    sys.exit(main())
