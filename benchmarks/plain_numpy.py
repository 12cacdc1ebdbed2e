"""Sliding-window LinUCB as research code writes it: plain NumPy, V inverted in every round.

This is our own writing of the published algorithm (Cheung, Simchi-Levi and Zhu, 2019; Russac,
Vernade and Cappé, 2019, whose code is not on any registry), in the manner of such code: sums kept
up to date, then a pseudo-inverse and one quadratic form per action. It stands in for what a reader
would run otherwise.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from driftwise.core.base.arrays import Matrix, Vector

__all__ = ["PlainNumpy"]


class PlainNumpy:
    """Keeps V and the sum of x y over a window; inverts V in every round."""

    def __init__(self, dimension: int, window: int, radius: float, ridge: float = 1.0) -> None:
        self._gram = ridge * np.eye(dimension)
        self._sums = np.zeros(dimension)
        self._inverse = np.linalg.pinv(self._gram)
        self._estimate = np.zeros(dimension)
        self._rounds: deque[tuple[Vector, float]] = deque()
        self._window, self._radius = window, radius

    def choose(self, actions: Matrix) -> int:
        """Return the row with the largest upper confidence bound."""
        bounds = np.empty(len(actions))
        for arm, action in enumerate(actions):
            width = np.sqrt(action @ self._inverse @ action)
            bounds[arm] = action @ self._estimate + self._radius * width
        return int(np.argmax(bounds))

    def learn(self, action: Vector, reward: float) -> None:
        """Let the round into the window, and the oldest out."""
        self._gram += np.outer(action, action)
        self._sums += reward * action
        self._rounds.append((action, reward))
        if len(self._rounds) > self._window:
            old, gone = self._rounds.popleft()
            self._gram -= np.outer(old, old)
            self._sums -= gone * old
        self._inverse = np.linalg.pinv(self._gram)
        self._estimate = self._inverse @ self._sums
