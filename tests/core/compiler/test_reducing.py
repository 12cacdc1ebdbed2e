"""A loop that has no use for a part of a memory is compiled without it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftwise.core.compiler.borrowing import borrowed
from driftwise.core.compiler.compiled import compilable, compiled
from driftwise.core.compiler.layers import layer, stacked
from driftwise.core.compiler.reducing import reduced


@compilable
class Small(NamedTuple):
    kept: NDArray[np.float64]

    def answer(self) -> float:
        return 10.0 + self.kept[0]  # type: ignore[no-any-return]  # a float


@compilable
class Large(NamedTuple):
    other: NDArray[np.int64]
    kept: NDArray[np.float64]

    def answer(self) -> float:
        return self.other[0] + self.kept[0]  # type: ignore[no-any-return]  # a float


Large._reduced = Small  # type: ignore[attr-defined]  # no field


@compiled
def answers(memory: Any) -> Any:
    number, (large, small) = reduced(borrowed(memory))
    return number, large.answer(), small.answer()


@compiled
def answer_of_second(stack: Any) -> float:
    return layer(reduced(borrowed(stack)), 1).answer()  # type: ignore[no-any-return]  # a float


def test_only_classes_that_say_so_are_replaced() -> None:
    kept = np.array([0.5])
    memory = (2.0, (Large(np.array([1]), kept), Small(kept)))
    assert answers(memory) == (2.0, 10.5, 10.5)
    assert answers.py_func(memory) == (2.0, 1.5, 10.5)  # type: ignore[attr-defined]  # of numba


def test_in_a_stack() -> None:
    assert answer_of_second(stacked(Large(np.array([1]), np.array([0.5])), 3)) == 10.5
