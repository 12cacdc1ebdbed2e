"""The figures of a run, all from what was measured and what it led to."""

import lazy_loader

# Loaded on first use: the picture of a world needs a pen from here, and none of the figures.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
