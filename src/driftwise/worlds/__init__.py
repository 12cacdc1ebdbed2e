"""Worlds: where actions, expected rewards and noise come from. Written in NumPy, one drift per file."""

import lazy_loader

# Their names are in the stub beside this file; each is loaded on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
