"""What came out of playing a policy in a world once: numbers, a table, a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Vector
from ..base.optional_packages import needed_for
from ..base.showing import html_of, plain_number, settings_text, sparkline, sparkline_svg

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

__all__ = ["Run"]


@dataclass(frozen=True, repr=False)
class Run:
    """What came out of playing a policy in a world once.

    Examples
    --------
    >>> import driftwise as dw
    >>> dw.simulate(dw.UCB1(), dw.worlds.Sinusoid(horizon=2000), seed=0)
    Run(UCB1(), seed=0: regret ... in 2,000 rounds ...)
    """

    policy: Any
    seed: int
    rounds: NDArray[np.int64]  # the checkpoints, counted from 1
    regret: Vector  # cumulative dynamic regret at those rounds
    total_reward: float  # sum of the rewards of all decisions, known in time or not

    @property
    def total_regret(self) -> float:
        """Cumulative dynamic regret at the end."""
        return float(self.regret[-1])

    def frame(self) -> pl.DataFrame:
        """Return the regret as a table with a row for each checkpoint.

        The columns are ``policy``, its name, ``seed``, ``round`` and ``regret``. It needs polars; for
        pandas, which then needs pyarrow, too, call ``run.frame().to_pandas()``. Runs are put together by
        ``polars.concat([run.frame() for run in runs])``.

        Examples
        --------
        >>> import driftwise as dw
        >>> run = dw.simulate(dw.UCB1(), dw.worlds.Sinusoid(horizon=2000), checkpoints=4)
        >>> run.frame()["round"].to_list()
        [500, 1000, 1500, 2000]
        """
        with needed_for("Run.frame"):
            import polars as pl
        names = {"policy": type(self.policy).__name__, "seed": self.seed}
        columns = {"round": self.rounds, "regret": self.regret}
        return pl.DataFrame(columns).select(
            *(pl.lit(value).alias(name) for name, value in names.items()), pl.all()
        )

    def plot(self, axes: Axes | None = None, **line: Any) -> Axes:
        """Draw the regret over the rounds and return the axes.

        It needs matplotlib.

        Parameters
        ----------
        axes
            Where to draw, as to compare runs in one picture; by default a new figure.
        line
            Settings of the line, such as ``label`` or ``color``, for ``matplotlib.axes.Axes.plot``.
        """
        with needed_for("Run.plot"):
            import matplotlib.pyplot as plt
        axes = plt.subplots()[1] if axes is None else axes
        line = {"label": type(self.policy).__name__} | line
        axes.plot([0, *self.rounds], [0.0, *self.regret], **line)
        axes.set(xlabel="round", ylabel="cumulative regret")
        axes.legend()
        return axes

    def __repr__(self) -> str:
        curve = sparkline(self.regret.tolist())
        horizon, lost = plain_number(int(self.rounds[-1])), plain_number(self.total_regret)
        told = f"regret {lost} in {horizon} rounds{curve and ' '}{curve}"
        return f"Run({settings_text(self.policy)}, seed={self.seed}: {told})"

    def _repr_html_(self) -> str:
        facts = [
            ("seed", str(self.seed)),
            ("rounds", plain_number(int(self.rounds[-1]))),
            ("reward", plain_number(self.total_reward)),
            ("regret", plain_number(self.total_regret)),
        ]
        picture = sparkline_svg(self.rounds.tolist(), self.regret.tolist())
        return html_of(f"Run: {settings_text(self.policy)}", facts, picture=picture)
