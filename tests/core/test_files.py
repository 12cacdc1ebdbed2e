from __future__ import annotations

import os
import stat
from pathlib import Path

from driftwise.core.files import write


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
