from .outcome import Outcome
from .reproduce import reproduce

__all__ = ["Outcome", "reproduce"]
