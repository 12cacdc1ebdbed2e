"""A forgetful policy of your own, complete: Thompson sampling on a sliding window."""

from typing import NamedTuple

from driftwise.extend import Card, Sampled, Windowed, compilable, described


class _Settings(NamedTuple):
    window: int  # first what the estimator forgets by
    noise: float  # then what every linear policy is told
    action_norm: float = 1.0
    parameter_norm: float = 1.0
    ridge: float = 1.0
    confidence: float = 0.01
    inflation: float = 0.5  # last what the rule needs


@described(Card(source="an example", knows="noise, bound on the parameter", cost="K d + d^2"))
@compilable
class MyForgetfulPolicy(Windowed, Sampled, _Settings):
    """Plays the best action for one parameter drawn around the estimate of a sliding window."""

    __slots__ = ()
