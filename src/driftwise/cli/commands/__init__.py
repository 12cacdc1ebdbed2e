"""The commands, one per file.

Each says in one sentence what it does, and imports what is heavy only when it is called.
"""

from __future__ import annotations

from . import (
    cache,
    doctor,
    evaluate,
    experiments,
    features,
    forgetting,
    gallery,
    keys,
    log,
    policies,
    recommend,
    reproduce,
    results,
    run,
    serve,
    service,
    service_log,
    simulate,
    warm_up,
    windows,
    worlds,
)

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
