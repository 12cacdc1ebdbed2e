"""All that the author of a policy or of a world needs, in one place.

These names are what driftwise promises to keep: they stay, and mean the same, in every release with the
same first number, wherever the files behind them move. So do the names of `driftwise` itself, those of
`checks`, `delays`, `evaluation`, `features`, `logs`, `service`, `theory` and `worlds`, the command line and the
formats of files. Everything else may change without notice.

- A policy: `compilable`, `Choice`, `Policy`, `Card`, `described`; `draws`, `normal` and `better` for what
  is random in it; `exp`, `log` and `log1p`, which have the same bits on every machine; `inlined` for
  functions that its rules call; `Limits` and `MOST` for its memory.
- Late rewards: the optional rules ``expect`` and ``settle`` tell a policy of decisions in flight, which it
  counts in the field "pending" of its memory; ``tick`` of rounds in which nothing was learnt. They are
  told in the docstring of `Policy`. A policy over others hands them on by `expect`, `settle` and `tick`,
  functions that call the rule of a policy if it has one.
- What it believes, for `Agent.explain`: `Belief`, `ridge_belief`, `faded_rounds`,
  `arms_belief`, `mean_of_arms`.
- A linear policy, as an estimator (`Everything`, `Windowed`, `Discounted`, `RestartingEvery`,
  `RestartingAt`) times a rule (`Optimistic`, `Sampled`, `RandomStrength`) with settings (`WindowSettings`,
  `DiscountSettings`, `InflatedSettings`, `PeriodSettings`, or a named tuple of your own; `Sampled` and
  `RandomStrength` need one that ends in a float "inflation", as `InflatedSettings` does).
- A world: `LinearWorld`, `BallWorld`, `BaseWorld`, and `generator` for its random numbers.
- Settings of either are checked by `require_integer` and the like, and a complete policy or world by
  `check_policy` and `check_world`.

>>> import driftwise as dw
>>> from driftwise.extend import Optimistic, Windowed, WindowSettings, compilable
>>> @compilable
... class Bold(Windowed, Optimistic, WindowSettings):
...     __slots__ = ()
...
...     def strength(self, memory):
...         return 2.0 * memory.radius[0]
>>> agent = dw.Agent(Bold(window=50, noise=0.1), dimension=2, is_interpreted=True)
>>> agent.choose([[1.0, 0.0], [0.0, 0.5]]).arm
0
"""

from importlib import import_module
from typing import Any

from .core.base.lazy_names import attach, no_such_name

# The names, and where each lives, are in the stub beside this file; each is loaded on first use, so
# that a world starts no compiler.
_loaded, __dir__, __all__ = attach("driftwise", __file__)


def __getattr__(name: str) -> Any:
    if name == "draws":  # a module, which is no attribute of its package until it is imported
        return import_module("driftwise.core.randomness.draws")
    if name in __all__:
        return _loaded(name)
    raise no_such_name(__name__, name, __all__)
