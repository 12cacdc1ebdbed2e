"""What a log says about other choices than its own, while the world moves."""

from ..core.base.lazy_names import attach

# Loaded on first use: to evaluate needs polars and joblib, to import driftwise does not.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
