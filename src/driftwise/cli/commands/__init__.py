"""The commands, one per file, in the order in which the help lists them.

Each says in one sentence what it does, and imports what is heavy only when it is called.
"""

from __future__ import annotations

from . import reproduce, run, experiments, results, simulate, gallery, windows  # isort: skip
from . import (
    cache,
    doctor,
    evaluate,
    features,
    forgetting,
    keys,
    log,
    policies,
    recommend,
    serve,
    service,
    service_log,
    warm_up,
    worlds,
)  # isort: skip

__all__ = [
    "cache",
    "doctor",
    "evaluate",
    "experiments",
    "features",
    "forgetting",
    "gallery",
    "keys",
    "log",
    "policies",
    "recommend",
    "reproduce",
    "results",
    "run",
    "serve",
    "service",
    "service_log",
    "simulate",
    "warm_up",
    "windows",
    "worlds",
]
