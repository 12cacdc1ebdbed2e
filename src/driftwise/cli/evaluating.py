"""Policies, encoders and reports that a person named on the command line."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..core.base.validation import require_known
from ..registry import find_policy
from .targets import require_file
from .values import setting

__all__ = ["command_line", "encoder_from", "policies_from", "require_page"]


def policies_from(texts: Sequence[str], facts: dict[str, Any]) -> dict[str, Any]:
    """Return policies by what was typed: NAME, or NAME:window=500,noise=0.2; the rest is tuned to the log."""
    from ..experiments.setup.tuning import MissingSettingsError, tune
    from ..experiments.spec.parameters import maker_of, parameters_of

    found = {}
    for text in texts:
        name, _, rest = text.partition(":")
        policy_class = find_policy(name)
        known = {**parameters_of(policy_class), **parameters_of(maker_of(policy_class))}
        given = dict(setting(pair) for pair in rest.split(",") if pair)
        for each in given:
            require_known("setting", each, known)
        if text in found:
            raise ValueError(f"policies must be different, got {text} twice")
        try:
            found[text] = tune(policy_class, facts, given, is_variation_known="variation" in given)[
                0
            ]
        except MissingSettingsError as error:
            raise ValueError(
                f"{error.need}: write {name}:{error.missing[0]}=VALUE, got {text}"
            ) from None
    return found


def encoder_from(file: Path | None) -> Any:
    """Return the encoder that a TOML file declares, if there is one."""
    from ..features import Encoder

    return None if file is None else Encoder.from_toml(file)


def require_page(target: Path | None) -> Path | None:
    """Refuse, before any work, a name under which no page can be written."""
    if target is None:
        return None
    if target.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"out must end in .html, got {str(target)!r}")
    return require_file("out", target)


def command_line() -> str:
    """Return what was typed."""
    return shlex.join(["driftwise", *sys.argv[1:]])
