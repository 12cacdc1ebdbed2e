"""``driftwise serve`` as it is, keys and metrics too, but for decisions: they are neither made nor stored."""

from __future__ import annotations

from driftwise.__main__ import main
from driftwise.service.engine import Engine
from driftwise.service.requests import DecisionReply, DecisionRequest


def _told(self: Engine, request: DecisionRequest) -> DecisionReply:
    return DecisionReply(request.id or "", 0, "a", 1.0, "policy", "", 1, "2026-01-01T00:00:00Z")


if __name__ == "__main__":
    Engine.decide = _told  # type: ignore[method-assign]  # that is the point
    main()
