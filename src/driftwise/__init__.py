"""Decisions that keep up with a changing world: linear bandits under drift.

>>> import driftwise as dw
>>> world = dw.worlds.Sinusoid(horizon=30_000, variation=1.0, noise=0.1)
>>> policy = dw.SlidingWindowUCB.tuned(horizon=30_000, dimension=2, variation=1.0, noise=0.1)
>>> run = dw.simulate(policy, world, seed=0)
>>> 0 < run.total_regret < 30_000
True
"""

import sys
from typing import Any

import lazy_loader

# The names, and where each lives, are in the stub beside this file; each is loaded on first use,
# so that `driftwise --help` starts neither a compiler nor a plotting library.
_loaded, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.2.0.dev0"


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _loaded(name)
    # An error that says where the name was looked for is shown with the name nearest to it.
    here = sys.modules[__name__]
    raise AttributeError(f"{__name__} has no attribute {name!r}", name=name, obj=here)
