"""What a new process pays before the first result, with machine code on disk or without."""

from __future__ import annotations

import compileall
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import driftwise

from .child import run_child
from .measurement import Measurement, of_ratio
from .timing import ratio_of

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
_ADAPTIVE = """
import driftwise as dw
dw.simulate(dw.AdaptiveUCB(), dw.worlds.Sinusoid(horizon=1000, variation=1.0, noise=0.1))
"""
_DISCOUNTED = """
import driftwise as dw, numpy as np
rows = np.random.default_rng(0).standard_normal((100, 5))
world = dw.worlds.Stationary(horizon=1000, parameter=[0.1] * 5, decision_set=rows)
dw.simulate(dw.DiscountedLinUCB(discount=0.99, noise=0.1), world)
"""
# What the compiler is quickest with, and what it takes longest for.
_COMPILING = {
    "window": ("SlidingWindowUCB, 2 arms", _FIRST),
    "adaptive": ("AdaptiveUCB, 2 arms", _ADAPTIVE),
    "discounted": ("DiscountedLinUCB, a fixed set of 100 arms", _DISCOUNTED),
}
_FLOOR = "import numba"  # NumPy comes with it
_WORKER = """
import json, sys
from driftwise.workers.engines import engine
def first(source):
    import time
    exec(source, {})
    return time.process_time()  # since this worker was born
with engine("loky", 2) as play_all:
    print(json.dumps(min(play_all(first, [sys.argv[1]] * 2))))
"""
_REPEATS = 8


def measure() -> Iterator[Measurement]:
    """Yield what `--help` imports, and the CPU seconds of first simulations."""
    with tempfile.TemporaryDirectory() as folder:
        package = _installed(Path(folder))
        place = {"PYTHONPATH": folder}
        heavy, spent = run_child("-c", _HELP, environment=place)
        yield Measurement(
            "help_imports",
            "`driftwise --help`: how many of numba and matplotlib it imports",
            float(len(heavy)),
            "",
            note=", ".join(heavy) or f"{spent:.2f} s of CPU",
        )
        run_child("-c", _FIRST, environment=place)  # compiles, unless that was done before
        pairs = [
            (run_child("-c", _FIRST, environment=place)[1], run_child("-c", _FLOOR)[1])
            for _ in range(_REPEATS)
        ]
        times = [first for first, _ in pairs]
        yield _line("first_simulation", "a new process", times)
        yield of_ratio(
            "first_simulation_over_import",
            "first simulation with machine code on disk over `import numba` alone, CPU time",
            ratio_of(pairs),
            note=f"{min(times):.2f} against {min(floor for _, floor in pairs):.2f} s",
        )
        times = [run_child("-c", _WORKER, _FIRST, environment=place)[0] for _ in range(_REPEATS)]
        yield _line("first_simulation_worker", "a new worker process", times)
        with _read_only(package):
            times = [run_child("-c", _FIRST, environment=place)[1] for _ in range(_REPEATS)]
        yield _line("first_simulation_read_only", "a package installed read-only", times)
        yield from _compiling(place)


def _compiling(place: dict[str, str]) -> Iterator[Measurement]:
    for key, (what, source) in _COMPILING.items():
        with tempfile.TemporaryDirectory() as cache:
            _, spent = run_child("-c", source, environment=place | {"XDG_CACHE_HOME": cache})
        work = f"first simulation with nothing on disk, {what}, CPU time"
        yield Measurement(f"compiling_{key}", work, spent, "s", note="once for each version")


def _line(key: str, where: str, times: list[float]) -> Measurement:
    work = f"first simulation with machine code on disk, {where}, CPU time"
    return Measurement(
        key, work, min(times), "s", note=f"slowest of {len(times)}: {max(times):.2f} s"
    )


def _installed(folder: Path) -> Path:
    """Return a copy of the package, with the bytecode that an installer adds."""
    package = folder / "driftwise"
    shutil.copytree(Path(driftwise.__file__).parent, package)
    compileall.compile_dir(package, quiet=2)
    return package


@contextmanager
def _read_only(package: Path) -> Iterator[None]:
    before = _snapshot(package)
    for path in [*package.rglob("*"), package]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path in [package, *package.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)  # so that it can be deleted
    # The mode of a file does not stop every user from writing it.
    if _snapshot(package) != before:
        raise RuntimeError("a simulation must not write into the package, but did")


def _snapshot(package: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.stat().st_mtime_ns) for path in package.rglob("*"))
