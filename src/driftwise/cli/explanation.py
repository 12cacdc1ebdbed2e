"""The picture of what a policy believes, drawn for `driftwise simulate --explain`."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from ..core.base.files import write
from ..experiments.setup.pairing import Pair
from ..registry import all_policies, find_policy
from .complaints import complaints
from .pictures import require_picture

__all__ = ["require_explainable", "write_explanation"]


def require_explainable(policy_name: str, target: str) -> Path:
    """Return where to draw to, or raise an error: no beliefs to draw, or no place for a picture."""
    path = require_picture("explain", target)
    if not hasattr(find_policy(policy_name), "belief_in"):
        able = [name for name, cls in all_policies().items() if hasattr(cls, "belief_in")]
        raise ValueError(
            f"explain must go with a policy that keeps an estimate ({', '.join(sorted(able))}), "
            f"got {policy_name}"
        )
    return path


def write_explanation(pair: Pair, target: Path, *, seed: int) -> str:
    """Play the replication of ``seed`` once more, ask the policy as it goes, draw its answers."""
    # Brings matplotlib, which a simulation alone does without.
    from ..experiments.analysis.account import follow
    from ..experiments.figures.explanation_figure import draw_explanation

    console = Console(stderr=True, quiet=not sys.stderr.isatty())
    with Progress(console=console, transient=True, disable=console.quiet) as progress:
        task = progress.add_task("Asking", total=pair.world.horizon)
        account = follow(
            pair.policy, pair.world, seed=seed, watch=lambda rounds: progress.advance(task, rounds)
        )
        progress.update(task, description="Drawing")
        drawing = draw_explanation(account)
    with complaints():  # the disk may be full by now
        write(target, drawing.svg if target.suffix.lower() == ".svg" else drawing.png)
    return str(target)
