"""Two nodes and one PostgreSQL that break under load: a few rounds of what `make faults-postgresql` does."""

from __future__ import annotations

import pytest

from benchmarks.service.database import missing
from benchmarks.service.faults import FAULTS, break_often

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing()), reason=missing() or "it is here"),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_nothing_acknowledged_is_lost_or_counts_twice(fault: str) -> None:
    found = break_often(fault, 2)
    assert found.told.decisions > 100
    assert (found.told.lost, found.told.twice, found.decreasing) == (0, 0, 0)
    assert found.is_same
    assert found.verified >= found.told.decisions
    assert found.epochs >= 2
    assert found.failures == 0
