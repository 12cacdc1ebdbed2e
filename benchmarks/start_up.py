"""What a new process pays before the first result, machine code being on disk."""

from __future__ import annotations

import compileall
import importlib.util
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import driftwise

from .child import run_child
from .measurement import Measurement

__all__ = ["measure"]

_HELP = """
import contextlib, io, json, sys
from driftwise.__main__ import main
sys.argv = ["driftwise", "--help"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
print(json.dumps([name for name in ("numba", "matplotlib") if name in sys.modules]))
"""
_FIRST = """
import driftwise as dw
world = dw.worlds.Sinusoid(horizon=1000, variation=1.0, noise=0.1)
policy = dw.SlidingWindowUCB.tuned(horizon=1000, dimension=2, variation=1.0, noise=0.1)
run = dw.simulate(policy, world)
"""
_WORKER = """
import json, sys
from driftwise.experiments.work.engines import engine
def first(source):
    import time
    exec(source, {})
    return time.process_time()  # since this worker was born
with engine("loky", 2) as play_all:
    print(json.dumps(min(play_all(first, [sys.argv[1]] * 2))))
"""
_REPEATS = 5


def measure() -> Iterator[Measurement]:
    """Yield what `--help` imports, and the CPU seconds of a first simulation in three places."""
    heavy, spent = run_child("-c", _HELP)
    yield Measurement(
        "help_imports",
        "`driftwise --help`: how many of numba and matplotlib it imports",
        float(len(heavy)),
        "",
        note=", ".join(heavy) or f"{spent:.2f} s of CPU",
    )
    run_child("-c", _FIRST)  # compiles, unless that was done before
    times = [run_child("-c", _FIRST)[1] for _ in range(_REPEATS)]
    yield _line("first_simulation", "a new process", times)
    times = [run_child("-c", _WORKER, _FIRST)[0] for _ in range(_REPEATS)]
    yield _line("first_simulation_worker", "a new worker process", times)
    with tempfile.TemporaryDirectory() as folder:
        yield _line(
            "first_simulation_read_only", "a package installed read-only", _read_only(Path(folder))
        )


def _line(key: str, where: str, times: list[float]) -> Measurement:
    work = f"first simulation with machine code on disk, {where}, CPU time"
    note = f"slowest of {len(times)}: {max(times):.2f} s"
    if importlib.util.find_spec("scipy") is not None:
        note += "; scipy is installed here, and numba imports it where it is"
    return Measurement(key, work, min(times), "s", note=note)


def _read_only(folder: Path) -> list[float]:
    package = folder / "driftwise"
    shutil.copytree(Path(driftwise.__file__).parent, package)
    compileall.compile_dir(package, quiet=2)  # as an installer does
    for path in package.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    package.chmod(0o555)
    before = _snapshot(package)
    environment = {"PYTHONPATH": str(folder)}
    run_child("-c", _FIRST, environment=environment)
    times = [run_child("-c", _FIRST, environment=environment)[1] for _ in range(_REPEATS)]
    # The mode of a file does not stop every user from writing it.
    if _snapshot(package) != before:
        raise RuntimeError("a simulation must not write into the package, but did")
    for path in [package, *package.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)  # so that it can be deleted
    return times


def _snapshot(package: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in package.rglob("*"))
