"""What a rule refuses: an error that knows the parameter, the rule and what came."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

__all__ = ["RuleError", "RuleTypeError", "RuleValueError"]


class RuleError(Exception):
    """A value that breaks a rule; raised as one of its two subclasses.

    The message is one sentence: the parameter, the rule, what came.

    Parameters
    ----------
    parameter
        What was given the value, by its name.
    rule
        What it must do, as in "be at least 1 round".
    value
        What came.
    shown
        What came, in words: nothing if empty, and as Python writes it by default.

    Examples
    --------
    >>> error = RuleValueError("window", "be at least 1 round", 0)
    >>> str(error), error.parameter, error.value
    ('window must be at least 1 round, got 0', 'window', 0)
    >>> isinstance(error, ValueError)
    True
    """

    def __init__(
        self, parameter: str, rule: str, value: object = None, shown: str | None = None
    ) -> None:
        super().__init__(parameter, rule, value, shown)  # so that it can be pickled
        self.parameter, self.rule = parameter, rule
        self.value: Any = value
        # A number of NumPy is written as one of Python.
        plain = value.item() if isinstance(value, np.generic) else value
        self.shown = repr(plain) if shown is None else shown

    def __str__(self) -> str:
        return f"{self.parameter} must {self.rule}" + (f", got {self.shown}" if self.shown else "")

    def about(self, parameter: str) -> Self:
        """Return the same error under the name that a caller has for the parameter."""
        return type(self)(parameter, self.rule, self.value, self.shown)


class RuleValueError(RuleError, ValueError):
    """A value that breaks a rule."""


class RuleTypeError(RuleError, TypeError):
    """A value of a type that the rule has no use for."""
