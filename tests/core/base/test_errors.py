"""Errors that know what they are about."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from driftwise.core.base.errors import RuleError, RuleTypeError, RuleValueError
from driftwise.core.base.validation import require_integer, require_known, require_number
from driftwise.worlds import Switching


@pytest.mark.parametrize("kind", [RuleValueError, RuleTypeError])
def test_an_error_survives_the_way_between_processes(kind: type[RuleError]) -> None:
    again = pickle.loads(pickle.dumps(kind("window", "be at least 1 round", 0, "none")))
    assert type(again) is kind
    assert (again.parameter, again.rule, again.value) == ("window", "be at least 1 round", 0)
    assert str(again) == "window must be at least 1 round, got none"


def test_an_error_can_go_by_another_name() -> None:
    error = RuleValueError("path", "end in .csv", "a.txt").about("data")
    assert isinstance(error, RuleValueError)
    assert str(error) == "data must end in .csv, got 'a.txt'"


def test_every_check_says_what_it_is_about() -> None:
    with pytest.raises(ValueError, match=r"^window must be at least 1, got 0$") as low:
        require_integer("window", 0)
    assert isinstance(low.value, RuleError)
    assert (low.value.parameter, low.value.value) == ("window", 0)
    with pytest.raises(TypeError, match=r"^noise must be a number, got 'a'$") as text:
        require_number("noise", "a")
    assert isinstance(text.value, RuleError)
    assert text.value.value == "a"
    with pytest.raises(ValueError, match="did you mean 'Sinusoid'") as near:
        require_known("world", "Sinusiod", ["Sinusoid"])
    assert isinstance(near.value, RuleError)
    assert (near.value.parameter, near.value.value) == ("world", "Sinusiod")
    with pytest.raises(RuleError) as world:
        Switching(horizon=10, times=[5, 5])
    assert world.value.parameter == "times"


def test_a_number_of_numpy_reads_like_any_other() -> None:
    assert str(RuleValueError("n", "be small", np.float64(0.5))) == "n must be small, got 0.5"
    assert str(RuleValueError("n", "be given", shown="")) == "n must be given"
