"""What a policy says of itself over time: its memory, the noise, its estimates, what it lost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, StrMethodFormatter
from numpy.typing import NDArray

from ..core.explaining import explained
from ..core.protocols import Policy
from ..core.rounds import World
from ..core.seeds import luck_of
from ..core.simulate import play
from ..core.starting import started
from ..core.validation import require_integer
from .figures.drawing import Drawing, blank, look, render, tidy

__all__ = ["Account", "draw_explanation", "follow"]

_MOST_ARMS = 4  # more estimates in one panel cannot be told apart
_ARMS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7"]
_LINE = "#333333"
_NOTICE = "#D55E00"


class Account(NamedTuple):
    """What a policy said of itself at some rounds of one run."""

    policy: str
    rounds: NDArray[np.int64]  # (n,), counted from 1
    memory: NDArray[np.float64]  # (n,), effective, in rounds
    noise: NDArray[np.float64] | None  # (n,), estimated, where it is
    means: NDArray[np.float64] | None  # (n, K): estimated, for a few arms that never change
    errors: NDArray[np.float64] | None  # (n, K): their standard errors
    truth: NDArray[np.float64] | None  # (n, K): true means of those arms
    regret: NDArray[np.float64]  # (n,), cumulative
    notices: list[int]  # rounds in which it noticed a change, no more than one per stretch


def follow(policy: Policy, world: World, *, seed: int = 0, checkpoints: int = 300) -> Account:
    """Play a policy in a world once, and ask it at up to so many rounds, evenly spread.

    Compiled, and the very run that `driftwise.simulate` plays with the same seed.
    """
    n = min(require_integer("checkpoints", checkpoints), world.horizon)
    fixed = world.decision_set if isinstance(world.decision_set, np.ndarray) else None
    memory = started(policy, world.n_arms, world.dimension, world.decision_set)
    luck, total, first = luck_of(seed), np.zeros(2), 0
    ends, lost, told, truth = [], [], list[dict[str, Any]](), []
    nothing = np.zeros(0, np.int64), np.zeros(0)
    for rounds in world.rounds(seed, -(-world.horizon // n)):
        play(policy, memory, rounds, luck, first, *nothing, total)
        first += rounds.count_rounds()
        ends.append(first)
        lost.append(total[0])
        told.append(explained(policy, memory, fixed))
        if fixed is not None:
            truth.append(rounds.means[-1])
    changes = [each["last_change"] for each in told if each.get("last_change") is not None]
    has_few = fixed is not None and len(fixed) <= _MOST_ARMS and "actions" in told[0]
    return Account(
        policy=type(policy).__name__,
        rounds=np.array(ends),
        memory=np.array([each["effective_memory"] or np.nan for each in told], np.float64),
        noise=np.array([each["noise"] for each in told]) if "noise" in told[0] else None,
        means=_per_arm(told, "mean") if has_few else None,
        errors=_per_arm(told, "standard_error") if has_few else None,
        truth=np.array(truth) if has_few else None,
        regret=np.array(lost),
        notices=sorted(set(changes)),
    )


def draw_explanation(account: Account) -> Drawing:
    """Draw an account, panel under panel; vertical lines are where a change was noticed."""
    panels = [_draw_memory]
    panels += [_draw_estimates] if account.means is not None else []
    panels += [_draw_noise] if account.noise is not None else []
    panels += [_draw_regret]
    with look():
        height = 0.9 + 2.1 * len(panels)  # inches
        figure = blank(9.6, height)
        grid = figure.add_gridspec(
            len(panels), 1, hspace=0.42, left=0.09, right=0.85, bottom=0.55 / height,
            top=1.0 - 0.4 / height,
        )  # fmt: skip
        for row, draw in enumerate(panels):
            axes = figure.add_subplot(grid[row])
            draw(axes, account)
            for notice in account.notices:
                axes.axvline(notice, color=_NOTICE, lw=0.8, alpha=0.6, zorder=0)
            axes.set_xlim(0, int(account.rounds[-1]))
            axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
            axes.tick_params(labelbottom=row == len(panels) - 1)
            tidy(axes)
        axes.set_xlabel("round")
        return render(figure, _words(account))


def _per_arm(told: list[dict[str, Any]], key: str) -> NDArray[np.float64]:
    return np.array([[action[key] for action in each["actions"]] for each in told])


def _draw_memory(axes: Axes, account: Account) -> None:
    axes.plot(account.rounds, account.rounds, color="#bbbbbb", lw=1.0, ls=(0, (3, 2)))
    axes.plot(account.rounds, account.memory, color=_LINE, lw=1.3)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.set_ylabel("rounds")
    axes.set_title(f"Effective memory of {account.policy}", loc="left", weight="bold")
    _note(axes, "dashed: all rounds\nso far")
    if account.notices:
        _note(axes, "a change\nis noticed", 0.55, _NOTICE)


def _draw_estimates(axes: Axes, account: Account) -> None:
    assert account.means is not None
    assert account.errors is not None
    assert account.truth is not None
    for arm in range(account.means.shape[1]):
        mean, error, colour = account.means[:, arm], account.errors[:, arm], _ARMS[arm]
        axes.fill_between(
            account.rounds, mean - error, mean + error, color=colour, alpha=0.22, lw=0
        )
        axes.plot(account.rounds, mean, color=colour, lw=1.2)
        axes.plot(account.rounds, account.truth[:, arm], color=colour, lw=1.0, ls=(0, (1, 1)))
        axes.text(
            1.015, 0.92 - 0.13 * arm, f"arm {arm + 1}",
            color=colour, weight="bold", transform=axes.transAxes, va="top",
        )  # fmt: skip
    low, high = float(account.truth.min()), float(account.truth.max())
    room = 0.3 * max(high - low, 1e-9)
    axes.set_ylim(low - room, high + room)  # the first guesses would flatten the rest
    axes.set_ylabel("mean reward")
    axes.set_title("Estimates, with one standard error either way", loc="left", weight="bold")
    _note(axes, "dotted: the truth", 0.90 - 0.13 * account.means.shape[1])


def _draw_noise(axes: Axes, account: Account) -> None:
    assert account.noise is not None
    axes.plot(account.rounds, account.noise, color=_LINE, lw=1.3)
    axes.set_ylim(0.0, 1.6 * float(np.median(account.noise)) if account.noise.any() else 1.0)
    axes.set_ylabel("reward")
    axes.set_title("Estimated noise", loc="left", weight="bold")


def _draw_regret(axes: Axes, account: Account) -> None:
    axes.plot([0, *account.rounds], [0.0, *account.regret], color=_LINE, lw=1.3)
    axes.set_ylim(bottom=0.0)
    axes.set_ylabel("reward")
    axes.set_title("Cumulative regret", loc="left", weight="bold")
    _note(axes, f"{account.regret[-1]:,.1f}\nat the end", 1.0)


def _note(axes: Axes, text: str, height: float = 0.92, colour: str = _LINE) -> None:
    axes.text(1.015, height, text, color=colour, fontsize=9.5, va="top", transform=axes.transAxes)


def _words(account: Account) -> str:
    noise = "" if account.noise is None else f" The noise is estimated at {account.noise[-1]:.3g}."
    notices = f" Changes noticed: {len(account.notices)}." if account.noise is not None else ""
    return (
        f"What {account.policy} says of itself over {account.rounds[-1]:,} rounds. Its effective "
        f"memory is between {np.nanmin(account.memory):,.0f} and {np.nanmax(account.memory):,.0f} "
        f"rounds, {account.memory[-1]:,.0f} at the end.{noise}{notices} Its regret is "
        f"{account.regret[-1]:,.1f}."
    )
