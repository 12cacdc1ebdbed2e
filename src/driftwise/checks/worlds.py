"""What every world must do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.base.validation import LARGEST_ACTION, LARGEST_REWARD
from ..core.contract.rounds import BallRounds, World
from .requiring import require

__all__ = ["check_world"]


def check_world(world: World, *, seed: int = 0, rounds: int = 500) -> None:
    """Check that a world keeps the contract of `driftwise.core.contract.rounds.World`.

    The rounds do not depend on how they are cut, nor on what was asked before; shapes and types
    are right; all numbers are finite, and no larger than an agent takes them
    (`driftwise.core.base.validation.LARGEST_ACTION`, ``LARGEST_REWARD``).

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.checks.check_world(dw.worlds.Sinusoid(horizon=1000, variation=1.0, noise=0.1))
    """
    first = _collect(world, seed, 97, rounds)
    for size in (1, 64, rounds):
        again = _collect(world, seed, size, rounds)
        for name, wanted, got in zip(first._fields, first, again, strict=True):
            same = wanted.shape == got.shape and wanted.tobytes() == got.tobytes()
            require(same, f"{name} must not depend on the size of a chunk")
    n = min(rounds, world.horizon)
    if isinstance(first, BallRounds):
        _check_ball_rounds(first, n, world.dimension)
        return
    lead = 1 if world.decision_set is not None else n
    shape = (lead, world.n_arms, world.dimension)
    require(first.actions.shape == shape, f"actions must be {shape}, got {first.actions.shape}")
    require(first.sizes.shape == (lead,), f"sizes must be {(lead,)}, got {first.sizes.shape}")
    require(first.sizes.dtype == np.int64, f"sizes must be int64, got {first.sizes.dtype}")
    require(first.sizes.min() >= 1, "a decision set must have at least one action")
    require(first.sizes.max() <= world.n_arms, "no decision set may exceed n_arms")
    for name in ("means", "rewards"):
        array: NDArray[np.float64] = getattr(first, name)
        wanted = (n, world.n_arms)
        require(array.shape == wanted, f"{name} must be {wanted}, got {array.shape}")
    for name in ("actions", "means", "rewards"):
        array = getattr(first, name)
        _check_numbers(name, array, LARGEST_ACTION if name == "actions" else LARGEST_REWARD)


def _check_numbers(name: str, array: NDArray[np.float64], largest: float) -> None:
    require(array.dtype == np.float64, f"{name} must be float64, got {array.dtype}")
    require(np.isfinite(array).all(), f"{name} must be finite")
    most = np.abs(array).max()
    require(most <= largest, f"{name} must not exceed {largest:g} in magnitude, got {most:g}")


def _check_ball_rounds(rounds: BallRounds, n: int, dimension: int) -> None:
    wanted = BallRounds((n, dimension), (n,), (1, dimension))  # type: ignore[arg-type]  # shapes
    for name, shape, array in zip(rounds._fields, wanted, rounds, strict=True):
        require(array.shape == shape, f"{name} must be {shape}, got {array.shape}")
        _check_numbers(name, array, LARGEST_REWARD)


def _collect(world: World, seed: int, size: int, most: int) -> Any:
    parts: list[Any] = []
    count = 0
    for rounds in world.rounds(seed, size):
        require(1 <= len(rounds.means) <= size, f"a chunk must have 1 to {size} rounds")
        parts.append(rounds)
        count += len(rounds.means)
        if count >= most:
            break
    n = min(most, world.horizon)
    require(count >= n, f"rounds must yield {n} rounds, got {count}")
    if isinstance(parts[0], BallRounds):
        parameters, noise = (
            np.concatenate(each)[:n] for each in list(zip(*parts, strict=True))[:2]
        )
        return BallRounds(parameters, noise, parts[0].point)
    fixed = world.decision_set is not None
    head = parts[:1] if fixed else parts
    return type(parts[0])(
        np.concatenate([part.actions for part in head])[: 1 if fixed else n],
        np.concatenate([part.sizes for part in head])[: 1 if fixed else n],
        np.concatenate([part.means for part in parts])[:n],
        np.concatenate([part.rewards for part in parts])[:n],
    )
