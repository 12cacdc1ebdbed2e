"""What the scoreboard recommends, printed."""

from __future__ import annotations

from typing import Any

from ..output import heading, paragraph, show, table

__all__ = ["print_advice"]


def print_advice(document: dict[str, Any]) -> None:
    """Print what `driftwise.recommend` returned, as plain data."""
    show(heading(f"Use {document['name']}"), paragraph(document["policy"], indent="  "), "")
    for sentence in document["why"]:
        show(paragraph(sentence))
    if document["alternatives"]:
        lines = table("instead", ">mean", ">worst", "guarantee")
        for each in document["alternatives"]:
            scores = (f"{each[name]:.2f}" for name in ("geometric_mean", "worst"))
            lines.add_row(each["name"], *scores, each["guarantee"])
        show("", lines)
