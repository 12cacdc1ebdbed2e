"""What the author of a world yields, checked, counted and cut to common lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import LARGEST_ACTION, LARGEST_PARAMETER, LARGEST_REWARD, masked_in

__all__ = ["Offer", "checked_means", "checked_offers", "checked_path", "in_step"]

# The decision sets of n rounds, (n, K, d), and how many rows of each are real, (n,).
Offer: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int64]]


def checked_path(
    path: Iterable[NDArray[np.float64]], *, horizon: int, dimension: int, size: int
) -> Iterator[NDArray[np.float64]]:
    """Pass on blocks of parameters, or say in which round something is wrong with them."""
    done = 0
    for block in path:
        _require_unmasked("path must yield", block)
        parameters = np.asarray(block, dtype=np.float64)
        _require_shape("path", parameters, size, (dimension,))
        _require_finite("path must yield finite parameters", parameters, done, LARGEST_PARAMETER)
        done += len(parameters)
        _require_count("path", done, horizon, is_over=False)
        yield parameters
    _require_count("path", done, horizon, is_over=True)


def checked_offers(
    offers: Iterable[Offer], *, horizon: int, n_arms: int, dimension: int, size: int
) -> Iterator[Offer]:
    """Pass on copies of decision sets with zeros as padding, or say what is wrong with them."""
    done = 0
    for offer, given in offers:
        _require_unmasked("offers must yield", offer)
        # Copies, so that neither a reader nor an author who uses a buffer twice can do harm.
        actions = np.array(offer, dtype=np.float64, order="C")
        _require_shape("offers", actions, size, (n_arms, dimension))
        sizes = np.asarray(given)
        if sizes.shape != actions.shape[:1] or sizes.dtype.kind not in "iu":
            raise RuleValueError(
                "offers",
                f"yield one integer per round as sizes, {len(actions)} in total",
                sizes.dtype,
                f"{sizes.dtype} of shape {sizes.shape}",
            )
        sizes = sizes.astype(np.int64)
        outside = (sizes < 1) | (sizes > n_arms)
        if outside.any():
            row = int(outside.argmax())
            raise RuleValueError(
                "offers",
                f"yield sizes from 1 to {n_arms}",
                sizes[row],
                f"{sizes[row]} in round {done + row + 1}",
            )
        if sizes.min() < n_arms:
            actions[np.arange(n_arms) >= sizes[:, None]] = 0.0
        _require_finite("offers must yield finite actions", actions, done, LARGEST_ACTION)
        done += len(actions)
        _require_count("offers", done, horizon, is_over=False)
        yield actions, sizes
    _require_count("offers", done, horizon, is_over=True)


def checked_means(
    linked: NDArray[np.float64], shape: tuple[int, ...], sizes: NDArray[np.int64], done: int
) -> NDArray[np.float64]:
    """Return what a link made of inner products, with zeros as padding, or say what is wrong."""
    _require_unmasked("link must return", linked)
    # A copy: a link may return what it was given, or keep what it returns.
    means = np.array(linked, dtype=np.float64, order="C")
    if means.shape != shape:
        raise RuleValueError("link", f"return an array of shape {shape}", means.shape)
    if sizes.min() < shape[1]:
        means[np.arange(shape[1]) >= sizes[:, None]] = 0.0
    _require_finite("link must return finite expected rewards", means, done, LARGEST_REWARD)
    return means


def in_step(
    offers: Iterator[Offer], path: Iterator[NDArray[np.float64]]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]]:
    """Yield (actions, sizes, parameters) of the same rounds, however each side was cut.

    Both sides must be checked ones: as they have the same number of rounds, they end together.
    """
    actions, sizes = next(offers)
    parameters = next(path)
    while n := min(len(sizes), len(parameters)):
        yield actions[:n], sizes[:n], parameters[:n]
        actions, sizes, parameters = actions[n:], sizes[n:], parameters[n:]
        if not len(sizes):
            actions, sizes = next(offers, (actions, sizes))
        if not len(parameters):
            parameters = next(path, parameters)


def _require_shape(
    source: str, block: NDArray[np.float64], size: int, row: tuple[int, ...]
) -> None:
    if block.ndim != 1 + len(row) or block.shape[1:] != row or not 1 <= len(block) <= size:
        wanted = ", ".join([f"1 to {size}", *map(str, row)])
        raise RuleValueError(source, f"yield blocks of shape ({wanted})", block.shape)


def _require_unmasked(source: str, block: Any) -> None:
    if masked_in(block):
        raise ValueError(f"{source} no masked entries, got {masked_in(block)}")


def _require_finite(rule: str, block: NDArray[np.float64], done: int, largest: float) -> None:
    # NaN passes through max and min, and no comparison with it is true.
    if not (block.max() <= largest and block.min() >= -largest):
        where = tuple(np.argwhere(~(np.abs(block) <= largest))[0])
        raise ValueError(
            f"{rule} of magnitude up to {largest:g}, got {block[where]} in round {done + where[0] + 1}"
        )


def _require_count(source: str, done: int, horizon: int, *, is_over: bool) -> None:
    if done > horizon or (is_over and done < horizon):
        more = "" if is_over else " or more"
        raise RuleValueError(source, f"yield {horizon} rounds in total", done, f"{done}{more}")
