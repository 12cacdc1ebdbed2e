"""What pyproject.toml allows is what is tested: lowest.txt at one end, constraints.txt near the other."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = DECLARED["project"]
EXTRAS = PROJECT["optional-dependencies"]
TOOLS = ("dev", "docs")  # of developers: only the versions of constraints.txt are used
RUN, DEVELOP = PROJECT["dependencies"], [line for name in TOOLS for line in EXTRAS[name]]
TEST = [line for name, lines in EXTRAS.items() if name not in TOOLS for line in lines]


def requirements(lines: list[str]) -> list[Requirement]:
    every = map(Requirement, lines)
    return [each for each in every if each.name != "driftwise"]


def pinned(name: str) -> dict[str, Version]:
    """Return the versions of a file that holds names and versions only."""
    lines = (ROOT / name).read_text().splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(package): Version(version) for package, version in pairs}


@pytest.mark.parametrize("requirement", requirements([*RUN, *TEST]), ids=str)
def test_the_lowest_version_that_is_allowed_is_tested(requirement: Requirement) -> None:
    bounds = [Version(part.version) for part in requirement.specifier if part.operator == ">="]
    assert bounds == [pinned("lowest.txt")[canonicalize_name(requirement.name)]]


@pytest.mark.parametrize("requirement", requirements([*RUN, *TEST, *DEVELOP]), ids=str)
def test_the_version_that_is_developed_with_is_allowed(requirement: Requirement) -> None:
    assert pinned("constraints.txt")[canonicalize_name(requirement.name)] in requirement.specifier


def test_numba_has_a_highest_version() -> None:
    """Its private parts are used: the next minor version may be without them."""
    (numba,) = (each for each in requirements(RUN) if each.name == "numba")
    known = pinned("constraints.txt")["numba"]
    assert Version(f"{known.major}.{known.minor}.99") in numba.specifier
    assert Version(f"{known.major}.{known.minor + 1}.0") not in numba.specifier


@pytest.mark.parametrize("line", DECLARED["dependency-groups"]["data"])
def test_data_are_those_that_pages_were_made_of(line: str) -> None:
    requirement = Requirement(line)
    try:
        found = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{requirement.name} is not installed: make data")
    assert requirement.specifier == f"=={found}"
