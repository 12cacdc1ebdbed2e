"""The policies, one algorithm per file."""

import lazy_loader

# Their names are in the stub beside this file. Each is loaded on first use, since every policy makes
# its methods known to the compiler: all of them take as long as to import NumPy.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
