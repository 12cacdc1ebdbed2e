from __future__ import annotations

import os
from pathlib import Path

import pytest

from driftwise.core.base.files import write
from driftwise.experiments.execution.files import require_folder


def test_folders_are_created_and_left_empty(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    assert require_folder(folder) == folder
    assert list(folder.iterdir()) == []


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    for out in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(OSError, match=r"out must be a folder that can be written, got .*taken"):
            require_folder(out)


def test_a_folder_that_takes_no_files_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("a superuser may write anywhere")
        with pytest.raises(OSError, match="permission denied"):
            require_folder(tmp_path)
    finally:
        tmp_path.chmod(0o700)


def test_write_replaces(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write(path, b"old")
    write(path, b"new")
    assert path.read_bytes() == b"new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_written_files_have_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "ordinary").touch()
    write(tmp_path / "file", b"")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write(path, b"old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
