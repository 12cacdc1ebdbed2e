"""docs/adaptive.md is what its command prints, with the outcome that the policy has now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

# The harness lies beside the package, not in it.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import adaptive_targets

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "adaptive.md").read_text("utf-8")


def test_the_page_names_its_command() -> None:
    (command,) = re.findall(r"`python -m (\S+) > docs/adaptive.md`", PAGE)
    assert command == adaptive_targets.__name__


@pytest.mark.parametrize("discount", adaptive_targets.DISCOUNTS)
def test_every_competitor_has_its_column(discount: float) -> None:
    assert f"| discount {discount:g} |" in PAGE


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_page_is_what_its_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    adaptive_targets.main()
    assert capsys.readouterr().out == PAGE
