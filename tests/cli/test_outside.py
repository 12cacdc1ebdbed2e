"""Policies from outside: what they do wrong is said in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ASTRAY = '''
from typing import NamedTuple
import numpy as np
from driftwise.core.compiler.compiled import compilable
from driftwise.core.contract.policy import Choice

class Nothing(NamedTuple):
    unused: np.ndarray

@compilable
class Astray(NamedTuple):
    """Plays an arm that is not there."""

    answer: int = 1000000000

    @classmethod
    def tuned(cls):
        return cls()

    def start(self, n_arms, dimension, fixed):
        return Nothing(np.zeros(1))

    def restart(self, memory, luck):
        memory.unused[0] = 0.0

    def choose(self, memory, actions, luck):
        return Choice(self.answer, 1.0, 0.0)

    def learn(self, memory, action, choice, reward, luck):
        memory.unused[0] = 0.0
'''


def test_an_arm_that_is_not_there(
    refusal: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("astray.py").write_text(ASTRAY)
    for words in ("simulate Astray --horizon 50", "gallery --policy Astray --quick --quiet"):
        sentence = refusal(*words.split(), "--from", "astray.py")
        assert "Astray must choose one of" in sentence
        assert "got arm 1000000000 in round 1" in sentence
