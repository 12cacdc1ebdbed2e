"""What holds contexts of people, keys and secrets is readable by its owner only, whatever the umask allows."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from driftwise.service.keys import add_key
from driftwise.service.operations import archiving
from driftwise.service.service import Service
from driftwise.service.stores.homes import FolderHomes
from driftwise.service.stores.places import SQLitePlace
from driftwise.service.stores.sqlite import SQLiteStore
from tests.service.small_service import live, serving


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """Let new files be as readable as programs make them."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {
        str(each.relative_to(folder)): stat.S_IMODE(each.stat().st_mode)
        for each in folder.rglob("*")
    }


def test_all_files_of_a_service_are_its_owners(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    found: dict[str, int] = {}

    async def talk(service: Service) -> None:
        await live(service, 20)
        await archiving.back_up(service, folder / "to" / "keep", "me", "a test")
        await archiving.archive(service, 12, folder / "to" / "keep", "me", "a test")
        found.update(modes(folder))

    serving(SQLiteStore(folder / "log.db"), talk)
    add_key(SQLitePlace(folder / "new.db"), ["read"], "a test")
    FolderHomes(folder / "fleet").open("fleet.one").close()
    found |= modes(folder)
    folders = {"to", "to/keep", "fleet"}
    assert {name: mode for name, mode in found.items() if name in folders} == dict.fromkeys(
        folders, 0o700
    )
    files = found.keys() - folders
    assert {Path(name).name for name in files} >= {
        "log.db", "log.db-wal", "log.db-shm", "log.db.lock", "new.db", "one.db", "test-1-12.parquet",
    }  # fmt: skip
    assert sum(name.endswith(".db") for name in files) == 4  # and the backup
    assert {name: oct(found[name]) for name in files if found[name] != 0o600} == {}


def test_a_log_that_is_there_keeps_what_its_owner_allowed(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "log.db").close()
    (tmp_path / "log.db").chmod(0o640)
    SQLiteStore(tmp_path / "log.db").close()
    assert modes(tmp_path)["log.db"] == 0o640
