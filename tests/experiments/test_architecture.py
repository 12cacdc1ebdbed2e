"""The map of the package leaves no room out, and its arrows are those of the import contracts."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "driftwise"
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
ROOMS = sorted(
    file.parent for file in PACKAGE.rglob("__init__.py") if file.parent != PACKAGE
)  # a room is a package inside the package
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]


def on_the_map() -> set[str]:
    """Return the folders of the tree, by their path inside the package."""
    tree = PAGE.split("src/driftwise/\n")[1].split("```")[0]
    found, inside = set(), list[str]()
    for line in tree.splitlines():
        if entry := re.match(r"( +)(\w+)/ ", line):
            inside = [*inside[: len(entry[1]) // 2 - 1], entry[2]]
            found.add("/".join(inside))
    return found


def test_every_room_is_on_the_map() -> None:
    named = on_the_map()
    assert {str(room.relative_to(PACKAGE)) for room in ROOMS} - named == set()
    assert [name for name in sorted(named) if not (PACKAGE / name).is_dir()] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE)))
def test_a_room_says_in_a_sentence_what_lives_there(room: Path) -> None:
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert said is not None
    assert said.splitlines()[0].endswith(".")


def layers() -> list[tuple[str, str]]:
    """Return what each contract is about, and its layers as the picture writes them."""
    found = []
    for contract in CONTRACTS["contracts"]:
        if contract["type"] == "layers":
            (owner,) = contract.get("containers", ["driftwise"])
            names = [
                ", ".join(name.rpartition(".")[2] for name in layer.split(" | "))
                for layer in reversed(contract["layers"])
            ]
            arrows = " <- ".join(name for name in names if name != "__main__")
            found.append((owner.removeprefix("driftwise."), arrows))
    return found


@pytest.mark.parametrize(("owner", "arrows"), layers(), ids=[owner for owner, _ in layers()])
def test_the_arrows_are_those_of_the_contracts(owner: str, arrows: str) -> None:
    unbroken = re.sub(r"\n +<- ", " <- ", PAGE)
    drawn = re.search(rf"^ *{re.escape(owner)} +(\w.* <- .*)$", unbroken, re.MULTILINE)
    assert drawn is not None
    assert drawn[1] == arrows


@pytest.mark.parametrize("container", ["core", "experiments"])
def test_no_room_is_without_a_contract(container: str) -> None:
    (arrows,) = [arrows for owner, arrows in layers() if owner == container]
    rooms = {room.name for room in ROOMS if room.parent == PACKAGE / container}
    assert rooms <= set(re.split(" <- |, ", arrows))


def test_whoever_follows_a_round_finds_every_file() -> None:
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", PAGE))
    assert len(named) > 40, "a round, an experiment and a decision"
    roots = (PACKAGE, ROOT)
    assert [name for name in sorted(named) if not any((r / name).exists() for r in roots)] == []
