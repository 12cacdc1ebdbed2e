"""Pseudo-outcomes against sums written out by hand, and the laws that they obey."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwise.evaluation.outcomes import Terms, bounded_below, outcomes, terms_of


def by_hand(probability: Any, p: Any, a: int, r: float, g: Any, name: str, limit: float) -> float:
    """Return one pseudo-outcome as section 2 prints it."""
    w = probability[a] / p[a]
    direct = sum(probability[k] * g[k] for k in range(len(p)))
    match name:
        case "ips":
            return float(w * r)
        case "dr":
            return float(direct + w * (r - g[a]))
        case "switch":
            return float(direct + w * (w <= limit) * (r - g[a]))
        case _:
            return float(direct + limit * w / (w * w + limit) * (r - g[a]))


@pytest.mark.parametrize("name", ["ips", "dr", "switch", "dros"])
@given(data=st.data())
def test_every_estimator_is_its_formula(name: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 4))
    weights = st.lists(st.floats(0.01, 1.0), min_size=size, max_size=size)
    p, probability = (np.array(data.draw(weights)) for _ in range(2))
    p, probability = p / p.sum(), probability / probability.sum()
    g = np.array(data.draw(st.lists(st.floats(-2.0, 2.0), min_size=size, max_size=size)))
    a, r = data.draw(st.integers(0, size - 1)), data.draw(st.floats(-3.0, 3.0))
    limit = data.draw(st.floats(0.5, 20.0)) if name in ("switch", "dros") else None
    terms = terms_of(probability[None], np.array([a]), p[[a]], np.array([r]), np.ones(1), g[None])
    expected = by_hand(probability, p, a, r, g, name, limit or 0.0)
    assert outcomes(terms, name, limit)[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(data=st.data())
def test_dr_has_the_mean_of_the_target_whatever_the_model(data: st.DataObject) -> None:
    size = 3
    weights = st.lists(st.floats(0.05, 1.0), min_size=size, max_size=size)
    p, probability = (np.array(data.draw(weights)) for _ in range(2))
    p, probability = p / p.sum(), probability / probability.sum()
    numbers = st.lists(st.floats(0.0, 1.0), min_size=size, max_size=size)
    g, means = (np.array(data.draw(numbers)) for _ in range(2))
    each = np.arange(size)
    many = (np.tile(row, (size, 1)) for row in (probability, g))
    probabilities, model = many
    terms = terms_of(probabilities, each, p, means, np.ones(size), model)
    assert p @ outcomes(terms, "dr") == pytest.approx(probability @ means)
    assert p @ outcomes(terms, "ips") == pytest.approx(probability @ means)
    # And so has what is bounded below, which no reward and no model can push under -k.
    k = data.draw(st.floats(0.0, 3.0))
    cut = bounded_below(probabilities, np.tile(p, (size, 1)), each, terms.weight, means, model, k)
    assert p @ cut == pytest.approx(probability @ means)
    none = bounded_below(
        probabilities, np.tile(p, (size, 1)), each, terms.weight, np.zeros(size), model, k
    )
    assert (none >= -k - 1e-12).all()


def test_ends_of_dros() -> None:
    terms = Terms(*(np.array([x]) for x in (3.0, 1.0, 0.4, 0.2)))
    assert outcomes(terms, "dros", 1e12)[0] == pytest.approx(outcomes(terms, "dr")[0])
    assert outcomes(terms, "dros", 0.0)[0] == pytest.approx(0.4)


def test_a_limit_belongs_to_what_cuts() -> None:
    terms = Terms(*(np.array([x]) for x in (3.0, 1.0, 0.4, 0.2)))
    with pytest.raises(ValueError, match="limit must be left out with the estimator dr, got 5"):
        outcomes(terms, "dr", 5)
