"""What a policy or a world can be told: the parameters of its class, or of how it is tuned."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["maker_of", "parameters_of"]


def maker_of(policy_class: type[Any]) -> Callable[..., Any]:
    """Return how a policy is tuned, or made if there is nothing to tune."""
    return getattr(policy_class, "tuned", policy_class)


def parameters_of(call: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a class or a function by name."""
    return inspect.signature(call).parameters
