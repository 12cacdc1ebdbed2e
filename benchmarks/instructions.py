"""Instructions a round, counted by valgrind: nearly the same on every run, whoever uses the machine.

Counted over two numbers of rounds: what a call costs, and a window that is not full, cancel out.

They are not time: an instruction may be a division or do four sums at once. Held to the same limits as
time, they tell a change in the code from noise on the machine.
"""

from __future__ import annotations

import ctypes
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import llvmlite.binding

from .child import run_child
from .compiled_loop import SIZES, rounds_of
from .floor import COMMAND, compiler, floor_on
from .measurement import Measurement, not_measured
from .workloads import LUCK, loop, radius_of, window_policy

__all__ = ["counts_in", "measure"]

_SOURCE = Path(__file__).with_name("callgrind.c")
_ROUNDS = 4000, 8000
# Options for gcc that keep to what valgrind knows.
_KNOWN_TO_VALGRIND = ("-mno-avx512f",) if platform.machine() == "x86_64" else ()


def measure() -> Iterator[Measurement]:
    """Yield the instructions of a round over those of the floor, for each size."""
    counts, reason = _counts()
    for key, work, *_ in SIZES:
        key, work = (
            f"{key}_instructions",
            f"instructions of the compiled loop, {work}, over the floor",
        )
        if counts is None:
            yield not_measured(key, work, reason)
            continue
        few, many = _ROUNDS
        ours, theirs = (
            (counts[f"{key}_{side}_{many}"] - counts[f"{key}_{side}_{few}"]) / (many - few)
            for side in ("loop", "floor")
        )
        yield Measurement(key, work, ours / theirs, note=f"{ours:.0f} against {theirs:.0f} a round")


def counts_in(folder: Path) -> dict[str, int]:
    """Read what callgrind has written: the instructions of each part, by its name."""
    counts = {}
    for path in folder.iterdir():
        text = path.read_text("utf-8", errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name[1]] = int(total[1])
    return counts


def _counts() -> tuple[dict[str, int] | None, str]:
    if shutil.which("valgrind") is None or compiler() is None:
        return None, "it takes valgrind and gcc"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        library = folder / "callgrind.so"
        build = [*COMMAND, "-shared", "-fPIC", str(_SOURCE), "-o", str(library)]
        if subprocess.run(build, capture_output=True, check=False).returncode:
            return None, "the header valgrind/callgrind.h is missing"
        out = folder / "counts"
        out.mkdir()
        # Not counting until asked runs the import of everything at some speed.
        tool = ("valgrind", "--tool=callgrind", "--instr-atstart=no")
        prefix = (*tool, f"--callgrind-out-file={out}/part")
        module, host = ("-m", __spec__.name, str(library)), _host()
        try:
            run_child(*module, environment=host)  # compiles: under valgrind that would take minutes
            run_child(*module, prefix=prefix, limit=120.0, environment=host)
        except subprocess.SubprocessError as error:
            return None, f"valgrind failed, {type(error).__name__}"
        counts = counts_in(out)
        return (counts, "") if counts else (None, "valgrind has counted nothing")


def _host() -> dict[str, str]:
    """Name the processor, which valgrind hides, less what valgrind does not know."""
    features = llvmlite.binding.get_host_cpu_features().flatten()
    return {
        "NUMBA_CPU_NAME": llvmlite.binding.get_host_cpu_name(),
        "NUMBA_CPU_FEATURES": features.replace("+avx512", "-avx512"),
    }


def _play_all(library: ctypes.CDLL) -> None:
    policy = window_policy()
    for (key, _, n_arms, dimension), n_rounds in product(SIZES, _ROUNDS):
        rounds = rounds_of(key, n_arms, dimension, n_rounds)
        radius = radius_of(policy, dimension)
        floor = floor_on(
            rounds, window=policy.window, radius=radius, luck=LUCK, options=_KNOWN_TO_VALGRIND
        )
        for side, work in (("loop", loop(policy, rounds)), ("floor", floor)):
            work()
            library.begin_count()
            work()
            library.end_count(f"{key}_instructions_{side}_{n_rounds}".encode())


if __name__ == "__main__":
    _play_all(ctypes.CDLL(sys.argv[1]))
