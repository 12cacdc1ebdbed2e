"""Scoreboards as plain data: the published one, and what it recommends for a person's case."""

import lazy_loader

# The names are in the stub beside this file; each is loaded on first use.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
