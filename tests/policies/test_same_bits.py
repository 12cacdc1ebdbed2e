"""The same decisions and memories on every machine: nothing comes from the C library, nothing is fused."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import driftwise

SOURCES = Path(driftwise.__file__).parent
# Of these, IEEE 754 says nothing that a library must keep to.
LOOSE = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp2", "expm1", "gamma", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "power", "sin",
    "sinh", "tan", "tanh",
}  # fmt: skip

PLAYED = """
import hashlib, json
import numpy as np
import driftwise as dw
from driftwise.core.contract.records import arrays_in
from driftwise.core.contract.rounds import Rounds
from driftwise.core.engine.simulate import play
from driftwise.core.engine.starting import started

# Uniform numbers, sums and products: worlds may draw by the C library, and are not what is tried.
T = 4000
random = np.random.default_rng(0)
sets = random.random((T, 6, 3)) - 0.5
sizes, path = np.full(T, 6), np.where(np.arange(T)[:, None] % 1000 < 500, [1.0, -0.5, 0.2], [-0.4, 0.8, 0.6])
means = sum(sets[:, :, i] * path[:, i, None] for i in range(3))
noise = random.random((T, 1)) - 0.5
linear = Rounds(sets, sizes, means, means + noise)
clicks = Rounds(sets, sizes, means, (means + noise > 0.0).astype(float))
levels = np.where(np.arange(T)[:, None] % 1000 < 500, [0.3, 0.6], [0.7, 0.4])
arms = Rounds(np.eye(2)[None], np.full(1, 2), levels, levels + noise)
arm_clicks = arms._replace(rewards=(levels + noise > 0.5).astype(float))
found = {}
for name, policy, rounds in [
    ("AdaptiveUCB, arms", dw.AdaptiveUCB(), arms),
    ("AdaptiveUCB, actions", dw.AdaptiveUCB(), linear),
    ("AdaptiveUCB, clicks on arms", dw.AdaptiveUCB(), arm_clicks),
    ("AdaptiveUCB, clicks on actions", dw.AdaptiveUCB(), clicks),
    ("Exp3S", dw.Exp3S(mixing=0.1, sharing=1e-4), arms),
    ("SlidingWindowUCB", dw.SlidingWindowUCB(window=200, noise=0.3), linear),
    ("DiscountedBetaTS", dw.DiscountedBetaTS(discount=0.999), arms),
    ("DiscountedLinTS", dw.DiscountedLinTS(discount=0.995, noise=0.3), linear),
    ("SlidingWindowGLMUCB", dw.SlidingWindowGLMUCB(window=50), clicks),
]:
    is_fixed = len(rounds.actions) == 1
    memory = started(policy, *rounds.actions.shape[1:], rounds.actions[0] if is_fixed else None)
    regret, total = np.empty(T), np.zeros(2)
    play(policy, memory, rounds, 7, 0, np.arange(1, T + 1), regret, total)
    bits = b"".join(array.tobytes() for array in (regret, total, *arrays_in(memory)))
    found[name] = hashlib.sha256(bits).hexdigest()
print(json.dumps(found))
"""


def played(**environment: str) -> dict[str, str]:
    """Return a digest of all decisions and of the memory they led to, for each of some policies."""
    command = [sys.executable, "-c", PLAYED]
    run = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    digests: dict[str, str] = json.loads(run.stdout)
    return digests


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_neither_the_processor_nor_the_library_changes_a_bit() -> None:
    here = played()
    assert played(NUMBA_CPU_NAME="generic") == here
    # The C library of Linux without fused products; the second name is that of older versions.
    assert played(GLIBC_TUNABLES="glibc.cpu.hwcaps=-FMA,-FMA_Usable") == here


def test_no_rule_calls_the_c_library() -> None:
    files = [path for room in ("core", "policies") for path in (SOURCES / room).rglob("*.py")]
    assert len(files) > 50
    rules = [(path, rule) for path in files for rule in rules_in(ast.parse(path.read_text()))]
    assert len(rules) > 200
    found = [f"{path.name}:{line}" for path, rule in rules for line in loose_in(rule)]
    assert found == [], "use driftwise.core.compiler.elementary, and x * x"


def test_the_search_finds_what_it_looks_for() -> None:
    rules = list(rules_in(ast.parse(EXAMPLE)))
    assert [rule.name for rule in rules] == ["helper", "choose"]
    assert [line for rule in rules for line in loose_in(rule)] == [4, 7]


EXAMPLE = """
@inlined
def helper(x):
    return math.sqrt(x) + math.exp(x)
class Rule:
    def choose(self, memory, actions, luck):
        return self.x**0.5 + 2.0**-64
    @classmethod
    def tuned(cls, horizon):
        return cls(horizon**0.5)
"""


def rules_in(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a file that may be compiled: by their decorator, or as a public method.

    Methods of any class: a policy inherits rules of classes that say nothing of the compiler.
    """
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and names(node) & {"inlined", "called", "compiled"}:
            yield node
        elif isinstance(node, ast.ClassDef):
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
            yield from (each for each in methods if each.name[0] != "_" and not names(each))


def names(node: ast.FunctionDef) -> set[str]:
    return {each.id for each in node.decorator_list if isinstance(each, ast.Name)}


def loose_in(rule: ast.FunctionDef) -> Iterator[int]:
    """Yield the lines of a rule that work out a power, or what each library rounds in its own way."""
    for node in ast.walk(rule):
        match node:
            case ast.Attribute(value=ast.Name(id="math" | "np"), attr=name) if name in LOOSE:
                yield node.lineno
            # Constants are worked out before anything is compiled.
            case ast.BinOp(op=ast.Pow(), left=base) if not isinstance(base, ast.Constant):
                yield node.lineno
