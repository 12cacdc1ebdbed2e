"""What somebody did to a service, in a few words: for the page and for whoever reads the log."""

from __future__ import annotations

from collections.abc import Sequence

from .events import Archived, Controlled, Operated

__all__ = ["told_of"]


def told_of(body: Controlled | Operated | Archived, arms: Sequence[str]) -> str:
    """Return what a control or an operation changed, in a few words.

    Parameters
    ----------
    body
        The event.
    arms
        Their names.
    """
    if isinstance(body, Archived):
        return f"archived up to event {body.until}"
    if isinstance(body, Operated):
        name = "" if body.policy is None else f" {body.policy.get('name', '')}"
        return f"{body.what}{name}"
    said = [body.what] if body.what else []
    if body.mode is not None:
        said.append(f"mode {body.mode}")
    if body.is_frozen is not None:
        said.append("learning frozen" if body.is_frozen else "learning thawed")
    if body.off is not None:
        said.append(
            f"off: {', '.join(arms[arm] for arm in body.off)}" if body.off else "no arm off"
        )
    if body.share is not None:
        said.append(f"exploration {body.share:g}")
    return ", ".join(said) or "nothing"
