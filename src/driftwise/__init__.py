"""Decisions that keep up with a changing world: linear bandits under drift.

>>> import driftwise as dw
>>> world = dw.worlds.Sinusoid(horizon=30_000, variation=1.0, noise=0.1)
>>> policy = dw.SlidingWindowUCB.tuned(horizon=30_000, dimension=2, variation=1.0, noise=0.1)
>>> run = dw.simulate(policy, world, seed=0)
>>> 0 < run.total_regret < 30_000
True
"""

from .core.base.lazy_names import attach

# The names, and where each lives, are in the stub beside this file; each is loaded on first use,
# so that `driftwise --help` starts neither a compiler nor a plotting library.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "0.2.0.dev0"
