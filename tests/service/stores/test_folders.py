"""New folders outlive a power cut: whoever makes one syncs the folder that it is in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from driftwise.service.operations.archiving import write_rows
from driftwise.service.stores.homes import FolderHomes
from tests.service.desk import Desk, problem


def a_fleet(folder: Path) -> None:
    FolderHomes(folder)


def an_archive(folder: Path) -> None:
    desk = Desk(problem())
    desk.decide("a")
    write_rows(desk.store.read(), folder / "rows.parquet")


@pytest.mark.parametrize("make", [a_fleet, an_archive])
def test_each_folder_on_the_way_is_synced(
    make: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, sync = set[int](), os.fsync

    def noted(file: int) -> None:
        synced.add(os.fstat(file).st_ino)
        sync(file)

    monkeypatch.setattr(os, "fsync", noted)
    make(tmp_path / "a" / "b")
    assert {each.stat().st_ino for each in (tmp_path, tmp_path / "a")} <= synced
