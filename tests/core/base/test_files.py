"""Files that are complete or absent; what writers leave behind that were killed."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import driftwise as dw
from driftwise.core.base import files
from driftwise.core.base.files import remove_drafts, write

KILLED = """if True:
    import os, pathlib, signal, sys
    from driftwise.core.base import files
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    files.write(pathlib.Path(sys.argv[1]), b"half")
"""


def drafts_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("."))


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "numbers.csv"
    assert write(path, b"old") == write(path, b"new") == path
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_or_a_device_stays_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "pipe"  # never one of /dev: a superuser's test could take its place
    os.mkfifo(path)
    reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        write(path, b"content")
        assert stat.S_ISFIFO(path.stat().st_mode)
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_the_next_save_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    agent = dw.Agent(dw.UCB1(), n_arms=2, is_interpreted=True)
    path = tmp_path / "agent.npz"
    agent.save(path)
    before = path.read_bytes()
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert len(drafts_in(tmp_path)) == 1
    assert path.read_bytes() == before
    agent.save(path)
    assert drafts_in(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
def test_what_a_living_writer_writes_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer of the same file looks for drafts at the worst moment."""
    path, seen, replace = tmp_path / "file", [], os.replace

    def late(draft: str, target: Path) -> None:
        remove_drafts(path)
        seen.extend(drafts_in(tmp_path))
        replace(draft, target)

    monkeypatch.setattr(os, "replace", late)
    write(path, b"all of it")
    assert len(seen) == 1
    assert path.read_bytes() == b"all of it"
    assert drafts_in(tmp_path) == []


def test_an_empty_draft_may_belong_to_a_writer_that_just_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = tmp_path / ".file.abcd_123.draft"
    draft.touch()
    remove_drafts(tmp_path / "file")
    assert draft.exists()
    monkeypatch.setattr(files, "_LONG_AGO", -1.0)
    remove_drafts(tmp_path / "file")
    assert not draft.exists()


def test_drafts_of_other_files_stay(tmp_path: Path) -> None:
    others = [".file.b.abcd_123.draft", ".other.abcd_123.draft", ".file.abcd_123", ".file.draft"]
    for name in others:
        (tmp_path / name).write_bytes(b"x")
    remove_drafts(tmp_path / "file")
    assert drafts_in(tmp_path) == sorted(others)
