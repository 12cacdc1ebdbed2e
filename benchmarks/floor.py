"""The C floor: compiled here, called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftwise.core.contract.rounds import Rounds

__all__ = ["COMMAND", "Played", "compiler", "floor_on"]

COMMAND = ("gcc", "-O3", "-march=native")
_SOURCE = Path(__file__).with_name("floor.c")


class _Task(ctypes.Structure):
    """`Task` of floor.c."""

    _fields_ = (
        ("rounds", ctypes.c_int64),
        ("n_arms", ctypes.c_int64),
        ("dimension", ctypes.c_int64),
        ("window", ctypes.c_int64),
        ("ridge", ctypes.c_double),
        ("radius", ctypes.c_double),
        ("luck", ctypes.c_uint64),
    )


class Played(NamedTuple):
    """What came out of the floor."""

    regret: float
    reward: float


def compiler() -> str | None:
    """Return where the C compiler is, if there is one."""
    return shutil.which(COMMAND[0])


def floor_on(
    rounds: Rounds,
    *,
    window: int,
    radius: float,
    ridge: float = 1.0,
    luck: int = 0,
    arms: NDArray[np.int64] | None = None,
    options: tuple[str, ...] = (),
) -> Callable[[], Played]:
    """Return the work of playing sliding-window UCB on some rounds, with a given confidence radius.

    All that Python does is done here, once: the work is C. A decision set that never changes must
    have the unit vectors as its rows. ``arms`` is where to write what was played, if anyone wants to
    know; ``options`` are more of them for the C compiler.
    """
    n_rounds, n_arms = rounds.means.shape
    dimension = rounds.actions.shape[2]
    task = _Task(n_rounds, n_arms, dimension, window, ridge, radius, luck)
    totals = np.zeros(2)
    arrays = [rounds.means, rounds.rewards, arms, totals]
    library = _library(*options)
    play = library.play_axes
    if len(rounds.actions) > 1:
        arrays, play = [rounds.actions, *arrays], library.play_dense
    elif not np.array_equal(rounds.actions[0], np.eye(n_arms)):
        raise ValueError("rounds must have unit vectors as their fixed decision set")
    arguments = [ctypes.byref(task), *map(_pointer, arrays)]

    def work() -> Played:
        if play(*arguments):
            raise MemoryError("the floor found no memory")
        return Played(float(totals[0]), float(totals[1]))

    return work


@cache
def _library(*more: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "floor.so"
        options = ["-shared", "-fPIC", str(_SOURCE), "-o", str(target), "-lm"]
        subprocess.run([*COMMAND, *more, *options], check=True)
        return ctypes.CDLL(str(target))  # stays loaded when the file is gone


def _pointer(array: NDArray[np.float64] | NDArray[np.int64] | None) -> ctypes.c_void_p:
    if array is not None and not array.flags.c_contiguous:
        raise ValueError("arrays must be contiguous")
    return ctypes.c_void_p(None if array is None else array.ctypes.data)
