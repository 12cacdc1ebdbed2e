from .finding import Finding
from .log import Log
from .soundness import Soundness

__all__ = ["Finding", "Log", "Soundness"]
