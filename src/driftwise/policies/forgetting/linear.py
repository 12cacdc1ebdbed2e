"""What all linear policies share: settings, confidence radius, tuning, what they explain."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ... import theory
from ...core.base.arrays import Vector
from ...core.base.validation import require_fraction, require_integer, require_number
from ...core.compiler.compiled import inlined
from ...core.contract.blocks import Blocked
from ...core.explain.belief import Belief, ridge_belief
from ...core.models.discounted.fading_axes import FadingAxes
from ...core.models.flight import SLOTS, Flight, flight
from ...core.models.ridge.radii import trace_radius
from ...core.models.ridge.regression import Axes, Listed
from .settings import Settings

__all__ = [
    "Forgetful",
    "Linear",
    "Unforgetful",
    "confidence_radius",
    "flight_for",
    "require_linear",
]


class Linear(Settings):
    """A policy with a ridge regression in its memory: the base of every estimator and rule."""

    __slots__ = ()
    if TYPE_CHECKING:  # settings that every linear policy has, in this order
        noise: float
        action_norm: float
        parameter_norm: float
        ridge: float
        confidence: float

    def _check(self) -> None:
        require_linear(self)
        super()._check()

    @classmethod
    def _best_confidence(cls, horizon: int) -> float:
        """Return the probability with which bounds may fail over a horizon (δ): 1/T."""
        return 1.0 / horizon

    @classmethod
    def practical(cls, *, noise: float, parameter_norm: float = 1.0, **facts: Any) -> Self:
        """Return the policy as practice would set it, without a guarantee.

        The ridge is (R / S)², which makes the estimate that of a Gaussian prior as wide as S, and the
        radius is 2 R in all rounds; a rule that draws a parameter draws it R wide. All else is as `tuned`
        sets it. The radius is told by a noise of 0 and a parameter norm of 2 S: it is the root of
        the ridge times that norm. So `Agent.explain` has no standard errors to tell.

        Parameters
        ----------
        noise
            The standard deviation of rewards around their means (R), above 0.
        parameter_norm
            How long the parameter is (S).
        facts
            As for `tuned`, without a ridge.

        Examples
        --------
        >>> import driftwise as dw
        >>> dw.LinUCB.practical(horizon=1000, noise=0.1, parameter_norm=0.5).ridge
        0.04000000000000001
        """
        norm = require_number("parameter_norm", parameter_norm, above=0.0)
        ridge = (require_number("noise", noise, above=0.0) / norm) ** 2
        make: Any = cls  # whose `tuned` is that of a class below
        policy: Any = make.tuned(noise=noise, parameter_norm=norm, ridge=ridge, **facts)
        return policy._replace(noise=0.0, parameter_norm=2.0 * norm)._drawing(noise)  # type: ignore[no-any-return]  # a Self

    def _drawing(self, noise: float) -> Self:
        """Return the policy such that what it draws is as wide as practice would have it."""
        return self

    def counted_in(self, memory: Any) -> tuple[float, str]:
        """Return how many rounds count, and why, in words; runs in Python only."""
        raise NotImplementedError

    def strength(self, memory: Any) -> float:
        """Return how many widths the rule adds to a mean."""
        raise NotImplementedError

    def expect(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision in flight: widths are as if its reward had come, and been as expected."""
        memory.pending.take_off(memory.regression, action, choice.arm, luck)

    def settle(self, memory: Any, action: Vector, choice: Any, luck: int) -> None:
        """Count a decision in flight no longer."""
        memory.pending.land(memory.regression, luck)

    def is_drawing(self) -> bool:
        """Return whether the rule draws what it plays."""
        return False

    def estimate_in(self, memory: Any) -> Vector:
        """Return the ridge estimate; runs in Python only."""
        return memory.regression.solution()  # type: ignore[no-any-return]  # of any layout

    def belief_in(self, memory: Any) -> Belief:
        """Return what `Agent.explain` tells; runs in Python only."""
        rounds, source = self.counted_in(memory)
        strength = self.strength(memory)
        belief = ridge_belief(memory.regression, rounds, source, strength, self.noise)
        return belief._replace(is_random=self.is_drawing())


class Unforgetful(Linear):
    """A linear policy that is tuned for a horizon alone."""

    __slots__ = ()

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        noise: float,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
    ) -> Self:
        """Return the policy with the confidence for T rounds; it needs nothing else."""
        confidence = cls._best_confidence(require_integer("horizon", horizon, unit="round"))
        return cls._made(noise, action_norm, parameter_norm, ridge, confidence)


class Forgetful(Linear):
    """A linear policy whose first setting is how fast it forgets; theory says which is best."""

    __slots__ = ()
    _best_setting: ClassVar[Callable[..., float]]  # how fast to forget over a horizon

    @classmethod
    def tuned(
        cls,
        *,
        horizon: int,
        dimension: int,
        noise: float,
        variation: float | None = None,
        action_norm: float = 1.0,
        parameter_norm: float = 1.0,
        ridge: float = 1.0,
        geometry: theory.Geometry = "orthogonal",
    ) -> Self:
        """Return the policy as its theory tunes it.

        Parameters
        ----------
        horizon, dimension
            How many rounds there will be, of actions of what length.
        noise, action_norm, parameter_norm, ridge
            As in the class.
        variation
            How far the parameter moves in all (B_T); None if that is not known.
        geometry
            "orthogonal" if the decision sets satisfy Assumption 1, otherwise "general".

        Examples
        --------
        >>> import driftwise as dw
        >>> facts = {"horizon": 30_000, "dimension": 2, "variation": 1.0, "noise": 0.1}
        >>> dw.SlidingWindowUCB.tuned(**facts).window
        1532
        """
        setting = cls._best_setting(
            horizon=horizon, dimension=dimension, variation=variation, geometry=geometry
        )
        confidence = cls._best_confidence(horizon)
        return cls._made(setting, noise, action_norm, parameter_norm, ridge, confidence)


def flight_for(regression: Any, dimension: int, most: int = SLOTS) -> Flight:
    """Return nothing in flight, for a regression of any layout on at most ``most`` rounds."""
    if isinstance(regression, Axes | FadingAxes):
        return flight(0, (1, dimension), most)
    length = dimension.length if isinstance(dimension, Blocked) else dimension
    return flight(0 if isinstance(regression, Listed) else dimension, (dimension, length), most)


@inlined
def confidence_radius(policy: Any, weight: float, dimension: float) -> float:
    """Return the confidence radius of a policy when rounds of this number or weight count."""
    return trace_radius(
        weight, dimension, policy.noise, policy.action_norm, policy.parameter_norm, policy.ridge,
        policy.confidence,
    )  # fmt: skip


def require_linear(policy: Any) -> None:
    """Check noise, norms, ridge and confidence."""
    require_number("noise", policy.noise, at_least=0.0)
    require_number("action_norm", policy.action_norm, above=0.0)
    require_number("parameter_norm", policy.parameter_norm, above=0.0)
    # Squared lengths over the ridge must not overflow.
    require_number("ridge", policy.ridge, above=0.0, at_least=1e-30)
    require_fraction("confidence", policy.confidence, inclusive=True)
