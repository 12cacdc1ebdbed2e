"""The settings that all linear policies share, checked in one place."""

from __future__ import annotations

from typing import Any

from ..core.base.validation import require_fraction, require_number

__all__ = ["require_discounted", "require_linear"]


def require_linear(policy: Any) -> None:
    """Check noise, norms, ridge and confidence."""
    require_number("noise", policy.noise, at_least=0.0)
    require_number("action_norm", policy.action_norm, above=0.0)
    require_number("parameter_norm", policy.parameter_norm, above=0.0)
    # Squared lengths over the ridge must not overflow.
    require_number("ridge", policy.ridge, above=0.0, at_least=1e-30)
    require_fraction("confidence", policy.confidence, inclusive=True)


def require_discounted(policy: Any) -> None:
    """Check the discount, and what all linear policies share."""
    require_fraction("discount", policy.discount, inclusive=True)
    require_linear(policy)
