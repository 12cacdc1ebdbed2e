"""Formulas as MathML, which browsers draw by themselves: no script, no fonts, no requests."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert

__all__ = ["add_to", "mathml"]


def mathml(latex: str, *, is_block: bool = False) -> str:
    """Return a formula as MathML; one of several lines as lines aligned at ``&``."""
    text = latex.strip()
    if is_block and "\\\\" in text and "\\begin" not in text:
        text = f"\\begin{{split}}{text}\\end{{split}}"
    text = text.replace(r"\arg", r"\operatorname{arg}")  # unknown to the converter
    drawn: str = convert(text, display="block" if is_block else "inline")
    return drawn


def add_to(app: Any) -> None:
    """Let Sphinx write formulas this way."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))


def _visit_inline(translator: Any, node: Any) -> None:
    translator.body.append(f'<span class="math">{mathml(node.astext())}</span>')
    _skip()


def _visit_block(translator: Any, node: Any) -> None:
    for part in filter(str.strip, node.astext().split("\n\n")):
        translator.body.append(f'<div class="math">{mathml(part, is_block=True)}</div>\n')
    _skip()


def _skip() -> None:
    from docutils.nodes import SkipNode  # of the docs extra, as all that calls this

    raise SkipNode
