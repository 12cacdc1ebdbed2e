"""The figures of a run, all from what was measured and what it led to."""

from ...core.base.lazy_names import attach

# Loaded on first use: the picture of a world needs a pen from here, and none of the figures.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
