"""Settings that are checked part by part, and the one by which a policy forgets.

The latter is what Bandit-over-Bandit tunes, whatever the policy estimates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from ... import theory
from ...core.base.validation import require_fraction, require_integer
from ...core.compiler.replacing import replacing

__all__ = ["ByDiscount", "ByPeriod", "ByWindow", "Settings"]

_with_window = replacing("window")
_with_discount = replacing("discount")
_with_period = replacing("restart_every")


class Settings:
    """The root of all parts of a policy: each checks its own settings, and asks the next part."""

    __slots__ = ()

    def _check(self) -> None:
        pass

    @classmethod
    def _made(cls, *settings: Any) -> Self:
        """Return a policy with these settings; which fields there are is known to heirs only."""
        make: Callable[..., Self] = cls
        return make(*settings)


class _BySetting(Settings):
    __slots__ = ()

    def roomiest(self, settings: Any) -> Any:
        """Return the setting under which a memory is largest."""
        return max(settings)

    def candidates(self, block_length: int) -> Any:
        """Return the settings to try in blocks of H rounds: 1 = H^0, ..., H, as the paper does."""
        return theory.window_grid(block_length)


class ByWindow(_BySetting):
    """Forgets all but the last ``window`` rounds."""

    __slots__ = ()
    if TYPE_CHECKING:
        window: int

    def _check(self) -> None:
        require_integer("window", self.window, unit="round")
        super()._check()

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another window."""
        return _with_window(self, setting)


class ByPeriod(_BySetting):
    """Forgets everything after every ``restart_every`` rounds."""

    __slots__ = ()
    if TYPE_CHECKING:
        restart_every: int

    def _check(self) -> None:
        require_integer("restart_every", self.restart_every, unit="round")
        super()._check()

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another period."""
        return _with_period(self, setting)


class ByDiscount(_BySetting):
    """Lets every round count for ``discount`` times what it did, with each new one."""

    __slots__ = ()
    if TYPE_CHECKING:
        discount: float

    def _check(self) -> None:
        require_fraction("discount", self.discount, inclusive=True)
        super()._check()

    def adjusted(self, setting: Any) -> Any:
        """Return the same policy with another discount."""
        return _with_discount(self, setting)

    def candidates(self, block_length: int) -> Any:
        """Return the discounts to try in blocks of H rounds."""
        return theory.discount_grid(block_length)
