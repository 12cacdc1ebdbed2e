"""The C floor: compiled here, called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftwise.core.rounds import Rounds

__all__ = ["COMMAND", "Played", "compiler", "play_floor"]

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


def play_floor(
    rounds: Rounds,
    *,
    window: int,
    radius: float,
    ridge: float = 1.0,
    luck: int = 0,
    arms: NDArray[np.int64] | None = None,
) -> Played:
    """Play sliding-window UCB on some rounds, with a given confidence radius.

    A decision set that never changes must have the unit vectors as its rows. ``arms`` is where to
    write what was played, if anyone wants to know.
    """
    n_rounds, n_arms = rounds.means.shape
    dimension = rounds.actions.shape[2]
    task = _Task(n_rounds, n_arms, dimension, window, ridge, radius, luck)
    totals = np.zeros(2)
    tail = [rounds.means, rounds.rewards, arms, totals]
    library = _library()
    if len(rounds.actions) == 1:
        if not np.array_equal(rounds.actions[0], np.eye(n_arms)):
            raise ValueError("rounds must have unit vectors as their fixed decision set")
        failed = library.play_axes(ctypes.byref(task), *map(_pointer, tail))
    else:
        failed = library.play_dense(ctypes.byref(task), *map(_pointer, [rounds.actions, *tail]))
    if failed:
        raise MemoryError("the floor found no memory")
    return Played(float(totals[0]), float(totals[1]))


@cache
def _library() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "floor.so"
        options = ["-shared", "-fPIC", str(_SOURCE), "-o", str(target), "-lm"]
        subprocess.run([*COMMAND, *options], check=True)
        return ctypes.CDLL(str(target))  # stays loaded when the file is gone


def _pointer(array: NDArray[np.float64] | NDArray[np.int64] | None) -> ctypes.c_void_p:
    if array is not None and not array.flags.c_contiguous:
        raise ValueError("arrays must be contiguous")
    return ctypes.c_void_p(None if array is None else array.ctypes.data)
