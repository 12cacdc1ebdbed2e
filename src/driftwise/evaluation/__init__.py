"""What a log says about other choices than its own, while the world moves."""

import lazy_loader

# Loaded on first use: to evaluate needs polars and joblib, to import driftwise does not.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
