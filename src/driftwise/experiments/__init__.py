"""Experiments as data: describing one, playing it anywhere, judging it, figures and the report."""

from ..core.base.lazy_names import attach

# Loaded on first use: a figure needs matplotlib, a bootstrap does not.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
