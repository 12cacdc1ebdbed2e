"""Logs of decisions: reading and writing them, and whether they are fit to be learnt from."""

from ..core.base.lazy_names import attach

# Loaded on first use: to read a log needs polars, to import driftwise does not.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
