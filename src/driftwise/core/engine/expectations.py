"""What a policy was told of rewards and actions, and the warning when something else comes."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

from ..base.card import policies_inside
from ..base.validation import LARGEST_REWARD

__all__ = ["Expectations", "SettingsWarning", "expectations_of"]

_DEVIATIONS = 4.0  # of Gaussian noise: one reward in 16,000 is farther from its mean
_ROUNDING = 1.0 + 1e-6  # of features that were brought to length 1 in single precision


class SettingsWarning(UserWarning):
    """Rewards or actions are not what a policy was told: one of its settings should be changed."""


@dataclass(slots=True)
class Expectations:
    """The largest reward and the longest action that a policy was told of; once warned, any."""

    reward: float = LARGEST_REWARD  # in magnitude
    length: float = math.inf
    about_reward: str = ""
    about_length: str = ""

    def warn_of_reward(self) -> None:
        """Warn, once, that a reward was larger."""
        self.reward = LARGEST_REWARD
        warnings.warn(self.about_reward, SettingsWarning, stacklevel=3)

    def warn_of_length(self, frames: int = 3) -> None:
        """Warn, once, that an action was longer; whoever is to blame is so many frames away."""
        self.length = math.inf
        warnings.warn(self.about_length, SettingsWarning, stacklevel=frames)


def expectations_of(policy: Any) -> Expectations:
    """Return what a policy was told by its ``parameter_norm`` and ``action_norm``, if it has them.

    A mean reward is at most their product. Noise comes on top, of the size of ``noise``, or of
    ``first_noise`` times the product where the noise is learnt. Means that go through a link, as
    the card says, are no such product. Of policies inside a policy, the smallest bounds count.

    Examples
    --------
    >>> import driftwise as dw
    >>> expectations_of(dw.SlidingWindowUCB(window=50, noise=0.25, parameter_norm=2.0)).reward
    3.0
    >>> expectations_of(dw.UCB1()) == Expectations()
    True
    """
    told = [Expectations(), *map(expectations_of, policies_inside(policy))]
    if hasattr(policy, "parameter_norm") and hasattr(policy, "action_norm"):
        told.append(_told(policy))
    rewards = min(told, key=lambda each: each.reward)
    lengths = min(told, key=lambda each: each.length)
    return Expectations(rewards.reward, lengths.length, rewards.about_reward, lengths.about_length)


def _told(policy: Any) -> Expectations:
    name = type(policy).__name__
    longest, product = _known(policy.action_norm), _known(policy.parameter_norm, policy.action_norm)
    noise = getattr(policy, "noise", getattr(policy, "first_noise", 0.0) * product)
    largest = min(product + _DEVIATIONS * noise, LARGEST_REWARD)
    if getattr(getattr(policy, "card", None), "is_logistic", False):
        largest = LARGEST_REWARD
    return Expectations(
        largest,
        _ROUNDING * longest,
        f"rewards are far outside parameter_norm * action_norm = {product:g}, which is what "
        f"{name} was told: raise parameter_norm, or rescale the rewards",
        f"actions are longer than action_norm = {longest:g}, which is what {name} was told: "
        f"raise action_norm, or rescale the actions",
    )


def _known(*bounds: float | None) -> float:
    """Return the product of bounds; infinity where one was left out, and so is not known."""
    return math.prod(math.inf if bound is None else bound for bound in bounds)
