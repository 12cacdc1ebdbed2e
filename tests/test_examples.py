"""The examples run, and keep the contracts that they are examples of."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import driftwise as dw

FOLDER = Path(__file__).parents[1] / "examples"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where pickle and the compiler look for its classes
    spec.loader.exec_module(module)
    return module


def test_the_policy() -> None:
    dw.checks.check_policy(load("my_policy").MyPolicy(exploration=0.1, step=0.05))


def test_the_world() -> None:
    dw.checks.check_world(load("my_world").MyWorld(horizon=1000, decision_set=np.eye(2)))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_each_runs_as_a_script(path: Path) -> None:
    result = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert "regret after 30,000 rounds: " in result.stdout
