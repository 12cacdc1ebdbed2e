"""Files whose content runs as code are the user's own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from driftwise.core.base.own_files import read_own, write_own

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions are of POSIX")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shared" / "cache" / "entry.bin"
    write_own(path, b"content")
    return path


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_what_is_made_is_private_whatever_the_mask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "above" / "cache" / "entry.bin"
    before = os.umask(mask)
    try:
        write_own(path, b"first")
        write_own(path, b"second")
    finally:
        os.umask(before)
    assert (mode_of(path.parent), mode_of(path)) == (0o700, 0o600)
    assert read_own(path) == b"second"


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(file: Path, mode: int) -> None:
    file.parent.chmod(mode)
    with pytest.raises(
        PermissionError, match=rf"cache must .*got a folder of user .*mode {mode:o}$"
    ):
        read_own(file)
    with pytest.raises(PermissionError, match="cache must belong to user"):
        write_own(file, b"other")
    file.parent.chmod(0o700)
    assert read_own(file) == b"content"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_to_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(
        PermissionError, match=rf"entry.bin must .*got a file of user .*mode {mode:o}$"
    ):
        read_own(file)


def test_what_belongs_to_someone_else_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the other one is root, and also if the user is."""
    other = os.geteuid() + 1
    monkeypatch.setattr("os.geteuid", lambda: other)
    with pytest.raises(PermissionError, match=f"cache must belong to user {other} .*got a folder"):
        read_own(file)
    with pytest.raises(PermissionError, match=f"cache must belong to user {other} .*got a folder"):
        write_own(file, b"other")


def test_a_file_is_asked_for_its_owner_when_it_is_open(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is exchanged after the folder was looked at leads to a file of someone else."""
    of_another = os.stat_result((stat.S_IFREG | 0o600, 0, 0, 1, os.geteuid() + 1, 0, 0, 0, 0, 0))
    monkeypatch.setattr("os.fstat", lambda _: of_another)
    with pytest.raises(
        PermissionError, match=r"entry.bin must belong to user .*got a file of user"
    ):
        read_own(file)


def test_links_are_judged_by_where_they_lead(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(file.parent, target_is_directory=True)
    assert read_own(link / file.name) == b"content"
    file.parent.chmod(0o777)
    with pytest.raises(PermissionError, match="link must belong"):
        read_own(link / file.name)


def test_folders_above_may_be_shared(file: Path) -> None:
    """As /tmp is: nobody can put a folder of the user's there."""
    file.parent.parent.chmod(0o777)
    assert read_own(file) == b"content"


def test_a_system_without_owners_has_none_to_check(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.chmod(0o666)
    monkeypatch.delattr("os.geteuid")
    assert read_own(file) == b"content"
