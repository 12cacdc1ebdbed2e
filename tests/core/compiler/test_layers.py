"""Many memories in one, and a view of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, typeof

import driftwise as dw
from driftwise.core.compiler.borrowing import borrowed
from driftwise.core.compiler.layers import layer, stacked
from driftwise.core.contract.records import arrays_in

POLICY = dw.UCB1()


def visit(policy: Any, stack: Any, i: int, actions: Any, n: int) -> int:
    """Play on one layer only; compiled below."""
    policy, stack, actions = borrowed(policy), borrowed(stack), borrowed(actions)
    memory = layer(stack, i)
    policy.restart(memory, 1)
    total = 0
    for t in range(n):
        choice = policy.choose(memory, actions, t)
        total += choice.arm
        policy.learn(memory, actions[choice.arm], choice, 0.1 * choice.arm, t)
    return total


compiled_visit = njit(visit, error_model="numpy")


def test_a_layer_is_a_view_of_the_same_class_and_types() -> None:
    for policy in (dw.LinUCB(noise=0.1), dw.Exp3(mixing=0.1)):
        for fixed in (np.eye(3), np.arange(6.0).reshape(2, 3), None):
            memory = policy.start(2 if fixed is None else len(fixed), 3, fixed)
            stack = stacked(memory, 4)
            assert typeof(layer(stack, 1)) == typeof(memory)
            for part, whole, once in zip(
                *map(arrays_in, (layer(stack, 2), stack, memory)), strict=True
            ):
                np.testing.assert_array_equal(part, once)
                part[...] = 7
                assert (whole[2] == 7).all()
                np.testing.assert_array_equal(whole[[0, 1, 3]], np.stack([once] * 3))


def test_plain_tuples_are_stacked_too() -> None:
    memory = dw.Corral((POLICY, dw.Exp3(0.1)), 0.1, 0.1, 1.5).start(3, 3, np.eye(3))
    part = layer(stacked(memory, 2), 1)
    assert typeof(part) == typeof(memory)
    assert type(part.bases) is tuple


def test_compiled_code_works_on_the_layer_that_is_meant() -> None:
    fast, slow = (stacked(POLICY.start(3, 3, np.eye(3)), 4) for _ in range(2))
    for i, n in ((2, 50), (0, 9), (2, 20)):
        assert compiled_visit(POLICY, fast, i, np.eye(3), n) == visit(POLICY, slow, i, np.eye(3), n)
    for a, b in zip(arrays_in(fast), arrays_in(slow), strict=True):
        assert a.tobytes() == b.tobytes()
    assert fast.counts.sum(axis=1).tolist() == [9, 0, 20, 0]


def test_a_view_counts_no_references() -> None:
    """See core/compiler/borrowing.py for what that costs."""
    compiled_visit(POLICY, stacked(POLICY.start(3, 3, np.eye(3)), 4), 1, np.eye(3), 5)
    (code,) = compiled_visit.inspect_llvm().values()
    body = code.split("\ndefine ")[1]
    assert "call void @NRT_incref" not in body
    assert "call void @NRT_decref" not in body
