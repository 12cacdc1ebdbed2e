"""First use: nobody waits for the compiler, and the decisions are the same.

Every test starts a new interpreter with an empty cache: what is compiled is compiled for good.
"""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

POLICY = """
from typing import NamedTuple
import numpy as np
from driftwise.extend import Choice, compilable

class Counter(NamedTuple):
    count: np.ndarray

@compilable
class Turns(NamedTuple):
    unused: int = 0

    def start(self, n_arms, dimension, fixed):
        return Counter(np.zeros(1))

    def restart(self, memory, luck):
        memory.count[0] = 0.0

    def choose(self, memory, actions, luck):
        return Choice(int(memory.count[0]) % actions.shape[0], 1.0, memory.count[0])

    def learn(self, memory, action, choice, reward, luck):
        memory.count[0] += reward
        {rule}
"""
USE = """
import sys, threading, time, warnings
import driftwise as dw
from driftwise.core.compiler import background
from driftwise.core.compiler.numba_parts import when_compiling
from driftwise.core.engine import calls

compiled = []
when_compiling(lambda *_: compiled.append(threading.current_thread().name), lambda: None)

def play(agent, rounds=1):
    decisions = []
    for _ in range(rounds):
        decisions.append(agent.choose())
        agent.learn(decisions[-1], 1.0)
    return decisions

def play_until_compiled(agent):
    decisions, end = [], time.monotonic() + 200
    while agent._calls._choose is None or agent._calls._learn[0] is None:
        decisions += play(agent)
        assert time.monotonic() < end, "the compiled version never came"
        time.sleep(0.01)
    return decisions
"""


def launch(folder: Path, code: str, rule: str = "", **environment: str) -> subprocess.Popen[str]:
    (folder / "turns.py").write_text(POLICY.replace("{rule}", rule))
    script = folder / "script.py"
    script.write_text(USE + textwrap.dedent(code))
    env = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONUNBUFFERED": "1"}
    env |= {"DRIFTWISE_COMPILE": "", "PYTHONWARNINGS": "default"} | environment
    return subprocess.Popen(
        [sys.executable, str(script)], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def said(process: subprocess.Popen[str]) -> tuple[list[str], str]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.split(), err


FIRST = """
from turns import Turns
(decision,) = play(dw.Agent(Turns(), n_arms=3))
print(decision.arm, type(decision.value).__name__, len(compiled), background._work._child.pid)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child whose parent has gone may wait for somebody to take note of its end.
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def test_the_first_decision_compiles_nothing_and_leaves_no_child_behind(tmp_path: Path) -> None:
    (arm, kind, n_compiled, pid), err = said(launch(tmp_path, FIRST))
    assert (arm, kind, n_compiled, err) == ("0", "float", "0", "")
    assert not is_running(int(pid))


def test_who_never_wants_a_compiler_gets_none(tmp_path: Path) -> None:
    code = """
    agent = dw.Agent(dw.SlidingWindowUCB(window=20, noise=0.1), n_arms=3)
    agent.warm_up()
    play(agent, 5)
    print(len(compiled), background._work._child, agent._calls.__reduce__()[1][2], agent.digest)
    """
    (n_compiled, child, is_kept, digest), err = said(
        launch(tmp_path, code, DRIFTWISE_COMPILE="never")
    )
    assert (n_compiled, child, is_kept, err) == ("0", "None", "False", "")
    assert said(launch(tmp_path, code))[0][-1] == digest


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")
def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    process = launch(tmp_path, FIRST + "time.sleep(60)\n")
    assert process.stdout is not None
    pid = int(process.stdout.readline().split()[-1])
    assert is_running(pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    end = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert not is_running(pid)


@pytest.mark.slow
def test_a_running_agent_changes_over_and_decides_the_same(tmp_path: Path) -> None:
    code = """
    agent = dw.Agent(dw.SlidingWindowUCB(window=20, noise=0.1), n_arms=3)
    decisions = play_until_compiled(agent) + play(agent, 50)
    twin = dw.Agent(agent.policy, n_arms=3, is_interpreted=True)
    theirs = play(twin, len(decisions))
    print([d.as_dict() for d in decisions] == [d.as_dict() for d in theirs], end=" ")
    print(agent.digest == twin.digest, {type(d.value).__name__ for d in decisions}, len(compiled))
    """
    assert said(launch(tmp_path, code)) == (["True", "True", "{'float'}", "0"], "")
    # Another process finds it on disk and is compiled from the first call on.
    again = """
    agent = dw.Agent(dw.SlidingWindowUCB(window=20, noise=0.1), n_arms=3)
    play(agent)
    print(agent._calls._choose is not None, len(compiled), background._work._child)
    """
    assert said(launch(tmp_path, again)) == (["True", "0", "None"], "")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["notebook", "no cache"])
def test_where_nothing_can_be_kept_a_thread_compiles(tmp_path: Path, place: str) -> None:
    """A class of `__main__` is found by no other process; nor is machine code in a file's place."""
    code = "from turns import Turns\n" if place == "no cache" else POLICY.replace("{rule}", "")
    code += "agent = dw.Agent(Turns(), n_arms=3)\n"
    code += "print([d.arm for d in play_until_compiled(agent)][:4], *set(compiled), sep='|')\n"
    environment = {}
    if place == "no cache":
        (tmp_path / "file").write_text("")
        environment = {"NUMBA_CACHE_DIR": str(tmp_path / "file" / "cache")}
    out, _ = said(launch(tmp_path, textwrap.dedent(code), **environment))
    assert " ".join(out) == "[0, 1, 2, 0]|driftwise compiler"


def test_rules_that_cannot_be_compiled_run_on_and_say_so(tmp_path: Path) -> None:
    code = """
    from turns import Turns
    agent = dw.Agent(Turns(), n_arms=3)
    end = time.monotonic() + 100
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while not caught and time.monotonic() < end:
            play(agent)
            time.sleep(0.05)
    print(str(caught[0].message).split(";")[0], play(agent)[0].propensity)
    """
    out, _ = said(launch(tmp_path, code, rule="{}[0] = eval('1')"))
    assert " ".join(out) == "Turns cannot be compiled, so it stays slow 1.0"


@pytest.mark.slow
def test_threads_and_forks_while_it_compiles(tmp_path: Path) -> None:
    code = """
    import os
    from concurrent.futures import ThreadPoolExecutor
    from turns import Turns
    agent = dw.Agent(Turns(), n_arms=3)
    with ThreadPoolExecutor(4) as pool:
        lucks = [d.luck for made in pool.map(lambda _: play(agent, 25), range(4)) for d in made]
    print(len(set(lucks)), agent.memory.count[0])
    if os.fork() == 0:
        play_until_compiled(dw.Agent(Turns(), n_arms=4))
        os._exit(0)
    play_until_compiled(agent)
    print(os.wait()[1])
    """
    assert said(launch(tmp_path, code))[0] == ["100", "100.0", "0"]


@pytest.mark.slow
def test_who_waits_gets_the_compiled_version(tmp_path: Path) -> None:
    code = """
    from turns import Turns
    agent = dw.Agent(Turns(), n_arms=3)
    before = agent.digest
    agent.warm_up()
    print(agent.digest == before, agent.n_choices, play(agent)[0].arm)
    print(agent._calls._choose is not None, agent._calls._learn[0] is not None)
    """
    assert said(launch(tmp_path, code))[0] == ["True", "0", "0", "True", "True"]
    waiting = said(
        launch(tmp_path, FIRST.replace("_child.pid", "_child"), DRIFTWISE_COMPILE="wait")
    )
    assert waiting[0][-1] == "None"
