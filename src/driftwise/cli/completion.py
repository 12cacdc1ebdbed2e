"""Names that the shell completes; what is typed already, Typer compares by itself."""

from __future__ import annotations

__all__ = ["experiment_names", "policy_names", "world_names"]


def policy_names() -> list[str]:
    """Return the names of all policies."""
    from ..registry import all_policies

    return list(all_policies())


def world_names() -> list[str]:
    """Return the names of all worlds."""
    from ..registry import all_worlds

    return list(all_worlds())


def experiment_names() -> list[str]:
    """Return the names of the built-in experiments."""
    from ..experiments.spec.builtin import builtin_names

    return builtin_names()
