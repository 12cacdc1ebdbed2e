"""Worlds: where actions, expected rewards and noise come from. Written in NumPy, one drift per file."""

from ..core.base.lazy_names import attach

# Their names are in the stub beside this file; each is loaded on first use.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
