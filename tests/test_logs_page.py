"""The page about logs: its examples work, and it leaves neither field nor finding out."""

from __future__ import annotations

import ast
import doctest
import re
from pathlib import Path

from driftwise.logs.fields import ALIASES, FIELDS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "logs.md"


def named() -> set[str]:
    return set(re.findall(r"(?<!`)`([^`\n]+)`(?!`)", PAGE.read_text("utf-8")))


def test_what_the_page_says_is_so() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 15
    assert found.failed == 0


def test_every_field_is_on_the_page() -> None:
    assert {*FIELDS, *ALIASES} <= named()


def test_every_finding_is_on_the_page() -> None:
    """Their names stand first in every call of `Finding` in the package."""
    names = {
        node.args[0].value
        for path in (ROOT / "src" / "driftwise" / "logs").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Finding"
        and isinstance(node.args[0], ast.Constant)
    }
    assert len(names) > 10
    assert names <= named()
