"""Machine code on disk. Every test starts new interpreters: that is what a cache is for."""

import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.registry import cpu_target

from driftwise.core.compiler import machine_code, numba_parts
from driftwise.core.compiler.reach import reach

USE = """
import numpy as np
import driftwise as dw
from driftwise.core.engine.simulate import loop

def run(policy):
    world = dw.worlds.Stationary(horizon=50, parameter=[0.2, 0.8], noise=0.0)
    run = dw.simulate(policy, world, seed=1)
    hits = sum(loop.stats.cache_hits.values()) if hasattr(loop, "stats") else 0
    print(round(run.total_reward), "hit" if hits else "miss")
"""
EXP3 = USE + "run(dw.Exp3(mixing=0.2))\n"
MINE = """
from typing import NamedTuple
import numpy as np
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice
{extra}

class Counter(NamedTuple):
    count: np.ndarray

@compilable
class Always(NamedTuple):
    favourite: int

    def start(self, n_arms, dimension, fixed):
        return Counter(np.zeros(1))

    def restart(self, memory, luck):
        memory.count[0] = 0.0

    def helper_of_mine(self, memory):
        return {value}

    def choose(self, memory, actions, luck):
        return Choice(self.helper_of_mine(memory), 1.0, 0.0)

    def learn(self, memory, action, choice, reward, luck):
        memory.count[0] += reward
"""


def launch(folder: Path, code: str, **environment: str) -> subprocess.Popen[str]:
    script = folder / f"script_{len(list(folder.iterdir()))}.py"
    script.write_text(textwrap.dedent(code))
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    env["PYTHONPATH"] = os.pathsep.join([str(folder), env.get("PYTHONPATH", "")])
    env = {name: value for name, value in env.items() if value}
    return subprocess.Popen(
        [sys.executable, str(script)],
        cwd=folder,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def said(process: subprocess.Popen[str]) -> list[str]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.split()


@pytest.mark.slow
def test_a_second_process_finds_it_and_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    first, second = said(launch(tmp_path, EXP3)), said(launch(tmp_path, EXP3))
    assert (first[1], second[1]) == ("miss", "hit")
    assert first[0] == second[0]
    (entry,) = (tmp_path / "cache").glob("*loop*.bin")
    entry.write_bytes(entry.read_bytes()[:1000])
    assert said(launch(tmp_path, EXP3)) == [first[0], "miss"]
    assert entry.stat().st_size > 1000


@pytest.mark.slow
def test_machine_code_runs_without_the_compiler(tmp_path: Path) -> None:
    """To load the compiler takes as long as to import Numba, and it imports SciPy."""
    tell = """
import sys
from numba.core.runtime import rtsys
print(*{"numba.np.linalg", "scipy.linalg"} & set(sys.modules), *["runtime"] * rtsys._init)
"""
    said(launch(tmp_path, EXP3))
    assert said(launch(tmp_path, EXP3 + tell))[1:] == ["hit"]


def test_a_symbol_that_is_missing_is_looked_for_in_the_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To run code with a symbol that leads nowhere would end the process."""
    context, loaded = cpu_target.target_context, list[str]()
    monkeypatch.setattr(context, "refresh", lambda: loaded.append("compiler"))
    numba_parts._supply(["NRT_adapt_ndarray_from_python", "PyTuple_Size", "sqrt"], context)
    assert loaded == []
    numba_parts._supply(["sqrt", "a_symbol_of_nobody"], context)
    assert loaded == ["compiler"]


def test_the_symbols_of_machine_code_are_those_outside_of_it() -> None:
    double = njit(lambda x: 2.0 * math.sin(x))
    double(1.0)
    (version,) = double.overloads.values()
    symbols = numba_parts._symbols_of(version.library)
    assert {"PyFloat_AsDouble", "PyFloat_FromDouble"} <= set(symbols)
    assert not any("lambda" in name or name.startswith("llvm.") for name in symbols)


@pytest.mark.slow
def test_an_edited_policy_is_compiled_again(tmp_path: Path) -> None:
    """Also if the edit is in another file of the user's, which the policy imports."""
    (tmp_path / "rules.py").write_text("NUMBER = 1\n")
    (tmp_path / "mine.py").write_text(MINE.format(extra="from rules import NUMBER", value="NUMBER"))
    code = USE + "from mine import Always\nrun(Always(0))"
    assert said(launch(tmp_path, code)) == ["40", "miss"]
    assert said(launch(tmp_path, code)) == ["40", "hit"]
    (tmp_path / "rules.py").write_text("NUMBER = 0\n")
    assert said(launch(tmp_path, code)) == ["10", "miss"]


def test_a_key_follows_every_value_that_the_rules_reach() -> None:
    def key(value: Any, how: str) -> str | None:
        rules = ModuleType("rules_of_mine")
        rules.__dict__.update(NUMBER=value, helper=lambda: value)
        mine = ModuleType("mine_of_mine")
        mine.__dict__.update(rules=rules, NUMBER=value, helper=FunctionType(
            (lambda: NUMBER).__code__, {"NUMBER": value}  # type: ignore[name-defined]  # noqa: F821
        ))  # fmt: skip
        source = MINE.format(extra="", value=how)
        exec(compile(source, "mine.py", "exec"), mine.__dict__)
        return reach([mine.__dict__["Always"]])

    def key_of_heir(value: int) -> str | None:
        mine: dict[str, Any] = {"__name__": "mine_of_mine"}
        source = MINE.format(extra="", value=value) + "class Heir(Always):\n    pass\n"
        exec(compile(source, "mine.py", "exec"), mine)
        return reach([mine["Heir"]])

    for how in ("NUMBER", "rules.NUMBER", "helper()", "rules.helper()", "NUMBER[0]"):
        values: list[Any] = [np.array([1]), np.array([2])] if "[" in how else [1, 2]
        keys = [key(value, how) for value in (*values, values[0])]
        assert keys[0] is not None
        assert keys[0] == keys[2] != keys[1], how
    assert key(1, "NUMBER") != key(1, "1 * NUMBER")
    assert key_of_heir(1) == key_of_heir(1) != key_of_heir(2)  # rules may be inherited
    assert key(object(), "NUMBER") is None  # what has no digest is not kept


@pytest.mark.slow
def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    first = [said(process) for process in [launch(tmp_path, EXP3), launch(tmp_path, EXP3)]]
    assert first[0][0] == first[1][0]
    assert said(launch(tmp_path, EXP3)) == [first[0][0], "hit"]
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".bin"}  # no draft is left


@pytest.mark.slow
def test_a_policy_of_a_script_is_not_kept_and_works_in_worker_processes(tmp_path: Path) -> None:
    code = (
        USE
        + MINE.format(extra="", value="1")
        + textwrap.dedent("""
        from joblib import Parallel, delayed

        @compilable
        class Heir(Always):
            pass

        def job(kind, seed):
            import driftwise as dw
            world = dw.worlds.Stationary(horizon=9, parameter=[0.0, 1.0], noise=0.0)
            return int(dw.simulate(kind(0), world, seed=seed).total_reward)

        if __name__ == "__main__":
            run(Always(0))
            kinds = [Always, Heir, Always, Heir]
            print(*Parallel(n_jobs=2)(delayed(job)(kind, 1) for kind in kinds))
        """)
    )
    assert said(launch(tmp_path, code)) == ["40", "miss", "9", "9", "9", "9"]
    assert not list((tmp_path / "cache").glob("*loop*.bin"))


def test_the_users_cache_folder_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert machine_code.folder() == Path("/somewhere/driftwise")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert machine_code.folder() == Path.home() / ".cache" / "driftwise"


def test_without_a_compiler_or_a_place_to_write_it_works_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    nowhere = str(tmp_path / "file" / "cache")
    compiled = launch(tmp_path, EXP3, NUMBA_CACHE_DIR=nowhere)
    interpreted = launch(tmp_path, EXP3, NUMBA_DISABLE_JIT="1")
    assert said(compiled) == said(interpreted)
