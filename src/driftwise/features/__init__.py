"""From dictionaries to rows: declared fields, crosses of them, and coefficients per named action."""

from ..core.base.lazy_names import attach

# The names are in the stub beside this file; each is loaded on first use.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
