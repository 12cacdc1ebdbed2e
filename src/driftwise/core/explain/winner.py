"""Which action would be played, and why it and no other: a reason and a sentence."""

from __future__ import annotations

from typing import Any

__all__ = ["winner_of"]

Action = dict[str, Any]


def winner_of(
    actions: list[Action], *, turn: int | None, is_random: bool, look: int = -1
) -> dict[str, Any]:
    """Return the ``arm`` that would be played, the ``reason`` and the ``explanation``.

    ``actions`` are those of `driftwise.core.explain.explaining.explained`; ``turn``, ``is_random`` and ``look``
    those of a `driftwise.core.explain.belief.Belief`.

    Examples
    --------
    >>> sure = {"arm": 0, "mean": 0.5, "bonus": 0.1, "upper_bound": 0.6}
    >>> unsure = {"arm": 1, "mean": 0.4, "bonus": 0.3, "upper_bound": 0.7}
    >>> print(winner_of([sure, unsure], turn=None, is_random=False)["explanation"])
    Action 1 would be played although its mean is 0.1 below the best: it is uncertain by 0.3, action 0 by 0.1.
    """
    unknown = [each["arm"] for each in actions if each["mean"] is None]
    if turn is not None:
        text = f"Action {turn} would be played whatever its mean: it is its turn."
        return {"arm": turn, "reason": "its turn", "explanation": text}
    if unknown:
        arm, reason, text = unknown[0], "nothing known", _about_unknown(unknown)
    elif is_random:
        best = _largest(actions, "mean")
        arm, reason, text = best[0]["arm"], "drawn at random", _about_random(best)
    else:
        arm, reason, text = _by_bound(actions, look)
    return {"arm": arm, "reason": reason, "explanation": text}


def _by_bound(actions: list[Action], look: int) -> tuple[int, str, str]:
    """Return the arm to look at or with the largest upper bound, the reason and the explanation."""
    looks = [each for each in actions if each["arm"] == look]
    equals, best = looks or _largest(actions, "upper_bound"), _largest(actions, "mean")
    top = equals[0]
    arm, behind = top["arm"], best[0]["mean"] - top["mean"]
    if len(equals) > 1:
        text = f"Actions {_names(equals)} have the same upper bound: luck decides."
        return arm, "one of several equals", text
    if best == [top]:
        text = f"Action {arm} would be played: its mean, {top['mean']:.3g}, is the largest."
        return arm, "largest mean", text
    others = [each for each in best if each is not top]
    is_tied = behind == 0.0  # before the first reward that is so of all means
    played = f"Action {arm} would be played although its mean is {behind:.3g} below the best"
    if is_tied:
        who = f"action {others[0]['arm']}" if len(others) == 1 else f"{len(others):,} others"
        played = f"Action {arm} would be played, with the same mean, {top['mean']:.3g}, as {who}"
    if top.get("is_probe", False):
        why = "it has not been seen for so long that it may have improved"
        return arm, "probe: not seen for long", f"{played}: {why}."
    rival = max(others, key=lambda each: each["bonus"])
    than = f"action {rival['arm']} by {rival['bonus']:.3g}"
    if is_tied and len(others) > 1:
        than = f"the others by {rival['bonus']:.3g} at most"
    return arm, "still uncertain", f"{played}: it is uncertain by {top['bonus']:.3g}, {than}."


def _about_unknown(arms: list[int]) -> str:
    if len(arms) == 1:
        return f"Action {arms[0]} would be played: no reward that still counts is about it."
    names = ", ".join(map(str, arms))
    return f"No reward that still counts is about the actions {names}: luck decides."


def _about_random(best: list[Action]) -> str:
    who = f"action {_names(best)} has" if len(best) == 1 else f"actions {_names(best)} have"
    return f"Its choice is partly random; {who} the largest mean, {best[0]['mean']:.3g}."


def _largest(actions: list[Action], key: str) -> list[Action]:
    most = max(each[key] for each in actions)
    return [each for each in actions if each[key] == most]


def _names(actions: list[Action]) -> str:
    return ", ".join(str(each["arm"]) for each in actions)
