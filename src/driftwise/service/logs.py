"""What the service says about itself: one line of JSON for each event of interest, none a decision."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

__all__ = ["say"]


def say(event: str, **facts: Any) -> None:
    """Write a line to standard error."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = json.dumps({"time": moment, "event": event, **facts}, default=str)
    print(line, file=sys.stderr, flush=True)
