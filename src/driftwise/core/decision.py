"""What an agent decided in one round, fit to be kept until the reward comes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .protocols import Policy, Vector
from .records import from_plain, to_plain
from .validation import require_array

__all__ = ["Decision", "require_sound"]

_FLOAT = np.dtype(np.float64)


class Decision(NamedTuple):
    """All that `Agent.learn` needs, whenever the reward comes; fit for a log or a database."""

    arm: int  # row of the decision set
    action: Vector  # (d,), that row
    propensity: float  # probability of this row
    value: float  # the score that won; nan where there is none
    luck: int  # what the policy drew from
    choice: Any  # the policy's own record
    policy: str  # fingerprint of the policy that decided

    def as_dict(self) -> dict[str, Any]:
        """Return the decision as JSON-ready data."""
        return {
            "policy": self.policy,
            "luck": self.luck,
            "action": self.action.tolist(),
            "choice": to_plain(self.choice),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Decision:
        """Return the decision that `as_dict` was called on."""
        choice = from_plain(data["choice"])
        action = require_array("action", data["action"], shape=(None,))
        scores = choice.propensity, choice.value
        return cls(choice.arm, action, *scores, data["luck"], choice, data["policy"])


def require_sound(decision: Decision, policy: Policy, own: str, shape: tuple[int, ...]) -> None:
    """Refuse what the compiled rules of a policy, which check nothing, could not stand.

    ``own`` is the policy's fingerprint; ``shape`` is (arms, dimension), with 0 arms for any number.
    """
    if not isinstance(decision, Decision) or decision.policy != own:
        raise TypeError(f"decision must come from an agent with this policy, got {decision!r}")
    n_arms, dimension = shape
    arm, action, _, _, luck, choice, _ = decision
    if not isinstance(action, np.ndarray) or action.dtype != _FLOAT:
        raise TypeError(f"decision must have an array of floats as action, got {action!r}")
    if action.shape != (dimension,) or not 0 <= choice.arm < (n_arms or 2**62):
        raise ValueError(
            f"decision must be among {n_arms or 'any number of'} arms in {dimension} "
            f"dimensions, got arm {choice.arm} in {action.size} dimensions"
        )
    accepts = getattr(policy, "accepts", None)
    if choice.arm != arm or (accepts is not None and not accepts(choice)):
        raise ValueError(f"decision must be as it was made, got {decision!r}")
    if type(luck) is not int or not 0 <= luck < 2**63:
        raise ValueError(f"luck must be a whole number in [0, 2**63), got {luck!r}")
