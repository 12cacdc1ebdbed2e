"""The paper's experiments: what to compare, running it, judging it, and the report."""

from __future__ import annotations

from .outcome import Outcome
from .reproduce import reproduce

__all__ = ["Outcome", "reproduce"]
