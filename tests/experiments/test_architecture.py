"""The map of the package leaves nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["core", "experiments", "logs"])
def test_every_file_is_on_the_map(folder: str) -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    found = re.search(rf"^  {folder}/.*\n((?:    .*\n)+)", page, re.MULTILINE)
    assert found is not None
    named = set(re.findall(r"\b(\w+\.py)\b", found[1]))
    files = {path.name for path in (ROOT / "src" / "driftwise" / folder).glob("*.py")}
    assert files - named == {"__init__.py"}
    assert named <= files, "what is gone is off the map"
