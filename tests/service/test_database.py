"""The PostgreSQL server of tests and benchmarks: it ends when its owner does, even by SIGKILL."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.service.database import missing

ROOT = Path(__file__).parents[2]
_OWNER = """
from benchmarks.service.database import Database
made = Database()
made.start()
print(made._data, flush=True)
input()
made.close()
"""


@pytest.mark.parametrize("is_killed", [True, False])
def test_it_ends_with_its_owner(is_killed: bool) -> None:
    if reason := missing():
        pytest.skip(reason)
    command = [sys.executable, "-c", _OWNER]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        data = Path(owner.stdout.readline().strip())
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        assert psutil.pid_exists(pid)
        if is_killed:
            owner.kill()
        else:
            owner.communicate("\n")
    end = time.monotonic() + 30
    while psutil.pid_exists(pid) or data.parent.exists():
        assert time.monotonic() < end
        time.sleep(0.05)
