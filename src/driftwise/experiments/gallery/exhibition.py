"""A gallery: each world with all policies that apply, sorted by regret, as a page and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import joblib
import polars as pl

from ...core.base.files import write
from ...core.base.validation import require_integer, require_known
from ...pages.palette import Style, styles_of
from ...registry import all_policies, all_worlds
from ..execution.files import require_folder
from ..figures.drawing import Drawing
from ..setup.lateness import delay_of
from ..spec.limits import require_feasible, require_horizon
from .hall import Hall, hall_of
from .page import write_gallery
from .playing import CHECKPOINTS, Plan, Played, play_all
from .regret_figure import YARDSTICK, draw_regret

__all__ = ["Gallery", "make_gallery", "plan_gallery"]

HORIZON, QUICK_HORIZON = 5_000, 1_000
REPLICATIONS, QUICK_REPLICATIONS = 20, 8


@dataclass(frozen=True)
class Gallery:
    """The halls of a gallery and the files that it left."""

    plan: Plan
    halls: list[Hall]
    left_out: dict[str, str]  # worlds, and why
    files: dict[str, Path]  # by file name, in the order in which one would open them
    is_interrupted: bool

    def as_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings, lists and dictionaries, ready for JSON."""
        return {
            "worlds": [
                {
                    "world": hall.world,
                    "horizon": int(hall.curves[0].rounds[-1]),
                    "replications": hall.replications,
                    "regret": [
                        {
                            "policy": curve.policy,
                            "mean": float(curve.mean[-1]),
                            "low": float(curve.low[-1]),
                            "high": float(curve.high[-1]),
                        }
                        for curve in hall.curves
                    ],
                    "refused": hall.refused,
                }
                for hall in self.halls
            ],
            "left_out": self.left_out,
            "seed": self.plan.seed,
            "interrupted": self.is_interrupted,
            "files": {name: str(path) for name, path in self.files.items()},
        }

    def as_text(self) -> str:
        """Return who did best where, then where to read on."""
        left_out = [f"{name}: left out, as {reason}" for name, reason in self.left_out.items()]
        if not self.halls:
            return "\n".join(["Nothing was played, so nothing was written.", *left_out])
        lines = [
            f"{hall.world}: {', '.join(curve.policy for curve in hall.curves[:3])}"
            f" (of {len(hall.curves)})"
            for hall in self.halls
        ]
        lines += left_out
        if self.is_interrupted:
            lines += ["", "Interrupted: the files hold what was finished."]
        first, *others = self.files.values()
        return "\n".join([*lines, "", f"Page: {first}", f"Beside it: {len(others)} files"])


def plan_gallery(
    *,
    worlds: Sequence[str] | None = None,
    policies: Sequence[str] | None = None,
    horizon: int | None = None,
    replications: int | None = None,
    seed: int = 0,
    quick: bool = False,
    delay: Any = None,
) -> Plan:
    """Say what to show, by names in the registry, or what is wrong with a name or a number.

    Parameters
    ----------
    worlds, policies
        All that there are by default.
    horizon
        How many rounds each world has. By default its own horizon, or 5,000; 1,000 if
        ``quick``.
    replications
        How often each is played; 20 by default, 8 if ``quick``.
    seed
        The seed of all randomness.
    delay
        How late rewards come, as `experiments.setup.lateness.delay_of` reads it; by default as each
        world says.
    """
    if horizon is None and quick:
        horizon = QUICK_HORIZON
    if replications is None:
        replications = QUICK_REPLICATIONS if quick else REPLICATIONS
    plan = Plan(
        worlds=_chosen("world", worlds, all_worlds()),
        policies=_chosen("policy", policies, all_policies()),
        horizon=None if horizon is None else require_horizon("horizon", horizon),
        default_horizon=HORIZON,
        replications=require_integer("replications", replications),
        seed=require_integer("seed", seed, at_least=0),
        delay=None if delay is None else delay_of(delay),
    )
    require_feasible(
        horizons=[plan.horizon or plan.default_horizon] * len(plan.worlds),
        replications=plan.replications,
        checkpoints=CHECKPOINTS,
        n_policies=len(plan.policies),
    )
    return plan


def make_gallery(plan: Plan, *, out: Path, jobs: int | None = None, quiet: bool = False) -> Gallery:
    """Play, draw and write the gallery.

    Raises
    ------
    OSError
        If ``out`` cannot be written; that is found out before the work begins.
    """
    require_folder(out)
    played = play_all(plan, jobs=jobs or joblib.cpu_count(), quiet=quiet)
    halls = [
        hall_of(plan, played, name)
        for name in plan.worlds
        if name in played.numbers["world"].unique()
    ]
    files = _write_all(plan, halls, played, out) if halls else {}
    return Gallery(plan, halls, played.left_out, files, played.is_interrupted)


def _chosen(
    what: str, names: Sequence[str] | None, known: dict[str, type[Any]]
) -> dict[str, type[Any]]:
    if not names:
        return known
    return {name: known[require_known(what, name, known)] for name in names}


def _write_all(plan: Plan, halls: list[Hall], played: Played, out: Path) -> dict[str, Path]:
    """Write the numbers first: a second Ctrl-C must not cost them."""
    files = {
        "numbers.parquet": write(out / "numbers.parquet", _parquet(played.numbers)),
        "summary.csv": write(out / "summary.csv", _summary_csv(halls)),
    }
    # By all names that there are, so that some policies look as they do among all.
    styles: dict[str, Style] = styles_of(list(all_policies() | dict(plan.policies)), YARDSTICK)
    drawings: dict[str, Drawing] = {}
    for hall in halls:
        drawing = draw_regret(hall.world, hall.facts, hall.curves, styles)
        drawings[hall.world] = drawing
        files[f"{hall.world}.svg"] = write(out / f"{hall.world}.svg", drawing.svg)
    page = write_gallery(plan, halls, played, drawings)
    return {"index.html": write(out / "index.html", page.encode())} | files


def _parquet(numbers: pl.DataFrame) -> bytes:
    stream = BytesIO()
    numbers.write_parquet(stream)
    return stream.getvalue()


def _summary_csv(halls: Sequence[Hall]) -> bytes:
    rows = [
        {
            "world": hall.world,
            "place": place,
            "policy": curve.policy,
            "horizon": int(curve.rounds[-1]),
            "replications": hall.replications,
            "regret": float(curve.mean[-1]),
            "low": float(curve.low[-1]),
            "high": float(curve.high[-1]),
        }
        for hall in halls
        for place, curve in enumerate(hall.curves, start=1)
    ]
    return pl.DataFrame(rows).write_csv().encode()
