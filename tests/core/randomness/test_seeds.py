"""Streams that are named, so that none disturbs another."""

import numpy as np
import pytest

from driftwise.core.randomness.seeds import generator, luck_of, named_seed


def test_a_stream_depends_on_seed_and_purpose_alone() -> None:
    wanted = generator(3, "noise").standard_normal(5).tolist()
    generator(3, "parameters").standard_normal(1000)
    assert generator(3, "noise").standard_normal(5).tolist() == wanted
    assert generator(4, "noise").standard_normal(5).tolist() != wanted
    assert generator(3, "parameters").standard_normal(5).tolist() != wanted


def test_seeds_keep_their_values() -> None:
    # Written down once: if these move, every published number moves.
    assert named_seed(0, "figure-1/T=30000/replication=3") == 6555267292536860984
    assert luck_of(0) == 331637406053287197


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**80])
def test_luck_fits_a_signed_integer(seed: int) -> None:
    assert 0 <= luck_of(seed) < 2**63


def test_names_do_not_collide() -> None:
    seeds = {named_seed(0, f"T={t}/replication={r}") for t in range(100) for r in range(100)}
    assert len(seeds) == 10_000


@pytest.mark.parametrize("seed", [-1, 1.5, "0", True])
def test_a_seed_is_an_integer_from_zero(seed: object) -> None:
    with pytest.raises((TypeError, ValueError), match="seed must be"):
        generator(seed, "noise")  # type: ignore[arg-type]  # that is the point


def test_streams_do_not_depend_on_how_they_are_cut() -> None:
    whole = generator(0, "noise").standard_normal(1000)
    source = generator(0, "noise")
    parts = [source.standard_normal(n) for n in (1, 9, 490, 500)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
