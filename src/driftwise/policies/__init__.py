"""The policies, one algorithm per file."""

from ..core.base.lazy_names import attach

# Their names are in the stub beside this file. Each is loaded on first use, since every policy makes
# its methods known to the compiler: all of them take as long as to import NumPy.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
