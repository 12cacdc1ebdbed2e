"""The page about policies and worlds of one's own: it shows the examples, and they work."""

import doctest
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwise.registry import all_policies, all_worlds, including

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs" / "your-own.md"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the examples be imported by name, and be forgotten afterwards."""
    monkeypatch.syspath_prepend(EXAMPLES)
    yield
    for path in EXAMPLES.glob("my_*.py"):
        sys.modules.pop(path.stem, None)


def test_the_page_shows_the_examples_in_full() -> None:
    shown = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.M | re.S)
    files = {path.read_text() for path in EXAMPLES.glob("my_*.py")}
    assert {code for code in shown if ">>>" not in code} == files


def test_what_the_page_says_is_so() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_registry_takes_them() -> None:
    with including([str(path) for path in EXAMPLES.glob("my_*.py")]):
        assert {"MyPolicy", "MyForgetfulPolicy"} <= set(all_policies())
        assert "MyWorld" in all_worlds()
    assert "MyPolicy" not in all_policies()
