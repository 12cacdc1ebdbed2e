"""Experiments as data: describing one, playing it anywhere, judging it, figures and the report."""

import lazy_loader

# Loaded on first use: a figure needs matplotlib, a bootstrap does not.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
