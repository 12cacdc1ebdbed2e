"""`driftwise doctor` and `driftwise cache`: what is there, what is missing, and how to get rid of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numba
import pytest

import driftwise as dw
from driftwise.cli import diagnosis
from driftwise.core.compiler import kept

ENTRY = f"driftwise.core.engine.calls.choose-{'0123456789abcdef' * 2}.bin"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a cache folder with one entry, one unfinished entry and two files of others."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    for name in (ENTRY, f".{ENTRY}.abcd_123.draft", "other.package-12.nbi", "notes.bin"):
        (tmp_path / name).write_bytes(b"1234")
    return tmp_path


def test_the_state_of_an_installation(document: Callable[..., Any], cache: Path) -> None:
    found = document("doctor")
    assert found["version"] == dw.__version__
    assert found["packages"]["numpy"] == metadata.version("numpy")
    assert 1 <= found["cores"] <= (os.cpu_count() or 1)
    assert found["cache"] == {"folder": str(cache), "files": 2, "bytes": 8, "compiled": []}
    extras = {each["extra"] for each in found["features"]}
    assert {"experiments", "dask", "ray"} <= extras
    assert not extras & {"test", "dev"}


def test_what_is_missing_is_named_with_its_remedy(
    text: Callable[..., str], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"ray": None, "distributed": "1.0"}
    real = diagnosis._version
    monkeypatch.setattr(diagnosis, "_version", lambda name: versions.get(name, real(name)))
    said = text("doctor")
    assert "experiments, tables and pictures: ready" in said
    assert "driftwise run --backend ray: needs ray>=" in said
    assert "driftwise run --backend dask: needs distributed>=" in said
    assert "; pip install 'driftwise[ray]'" in said
    assert "compiled none yet; try: driftwise warm-up" in said


def test_sources_that_are_not_installed_have_no_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", missing)
    assert diagnosis._extras() == []


def test_clearing_leaves_what_belongs_to_others(document: Callable[..., Any], cache: Path) -> None:
    assert document("cache", "clear") == {"folder": str(cache), "files": 2, "bytes": 8}
    assert {path.name for path in cache.iterdir()} == {"other.package-12.nbi", "notes.bin"}
    assert document("cache", "clear")["files"] == 0


def test_there_may_be_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "none"))
    assert kept.kept() == kept.clear() == (0, 0)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("driftwise doc", {"doctor"}),
        ("driftwise simulate Adapt", {"AdaptiveUCB"}),
        ("driftwise simulate UCB1 Sinus", {"Sinusoid"}),
        ("driftwise warm-up LinU", {"LinUCB"}),
        ("driftwise run ad", {"ads"}),
    ],
)
def test_the_shell_completes_names(shell: Any, words: str, names: set[str]) -> None:
    last = str(len(words.split()) - 1)
    answer = shell.call(_DRIFTWISE_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=last)
    assert answer.code == 0
    assert set(answer.out.split()) == names
