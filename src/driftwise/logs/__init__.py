"""Logs of decisions: reading and writing them, and whether they are fit to be learnt from."""

import lazy_loader

# Loaded on first use: to read a log needs polars, to import driftwise does not.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
