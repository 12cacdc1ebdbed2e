"""The decision service: decisions over HTTP that are durable, exactly once, and replayable bit for bit."""

import lazy_loader

# Loaded on first use: it needs what `pip install 'driftwise[service]'` brings.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
