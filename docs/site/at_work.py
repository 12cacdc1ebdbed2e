"""Pictures of policies and worlds at work: small runs, interpreted, so that nothing is compiled for them."""

from __future__ import annotations

import doctest
import inspect
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import driftwise as dw
from driftwise import registry
from driftwise.experiments.analysis.world_path import follow
from driftwise.experiments.figures.drawing import Drawing, blank, look, render, tidy, write_title
from driftwise.experiments.figures.labels import spread
from driftwise.experiments.figures.world_picture import draw_world
from driftwise.experiments.gallery.line_up import default_world, line_up
from driftwise.experiments.setup.tuning import MissingSettingsError
from driftwise.pages.palette import GREY, Style, arm_styles

__all__ = [
    "Work",
    "drawn_policies",
    "drawn_worlds",
    "picture_of_policy",
    "picture_of_world",
    "work_of",
]

_PIECE = 400  # rounds between changes
_LOGISTIC_PIECE = 200  # a round of these fits a model, which takes long where nothing is compiled
_MEANS = ((0.8, 0.5, 0.2), (0.2, 0.5, 0.8), (0.5, 0.8, 0.2))
_WORLD_HORIZON = 6000
_SEED = 1
_BLUE = "#0072B2"
_LEFT, _WIDTH = 0.1, 0.74  # of the figure


class Work(NamedTuple):
    """One run of a policy among a few arms."""

    means: NDArray[np.float64]  # (T, K), expected rewards
    arms: NDArray[np.int64]  # (T,), what it played
    is_clicks: bool

    @property
    def regret(self) -> NDArray[np.float64]:
        """Cumulative, against the best arm of each round."""
        played = self.means[np.arange(len(self.arms)), self.arms]
        return np.cumsum(self.means.max(axis=1) - played)

    @property
    def blind(self) -> NDArray[np.float64]:
        """What choosing blindly would have cost, on average."""
        return np.cumsum(self.means.max(axis=1) - self.means.mean(axis=1))


def drawn_policies() -> dict[str, Drawing]:
    """Return a picture of every policy of the package."""
    return {name: picture_of_policy(name) for name in registry.own().policies}


def drawn_worlds() -> dict[str, Drawing]:
    """Return a picture of every world of the package."""
    return {name: picture_of_world(name) for name in registry.own().worlds}


def picture_of_policy(name: str) -> Drawing:
    """Draw what a policy does where three arms change places twice."""
    work = work_of(name)
    with look():
        height = 4.9
        figure = blank(8.4, height)
        rewards, strip, lost = (
            figure.add_axes((_LEFT, bottom / height, _WIDTH, tall / height))
            for bottom, tall in ((2.6, 1.35), (2.3, 0.2), (0.55, 1.35))
        )
        styles, rounds = arm_styles(work.means.shape[1]), np.arange(1, len(work.arms) + 1)
        for arm, style in enumerate(styles):
            rewards.plot(rounds, work.means[:, arm], color=style.colour, ls=style.line, lw=1.8)
            rewards.annotate(
                f"arm {arm}", (1.02, work.means[-1, arm]), xycoords=("axes fraction", "data"),
                color=style.colour, weight="bold", va="center", fontsize=9.5,
            )  # fmt: skip
        _draw_played(strip, work.arms, styles)
        lost.plot(rounds, work.blind, color=GREY, ls=(0, (5.0, 1.6)), lw=1.2)
        lost.plot(rounds, work.regret, color=_BLUE, lw=1.8)
        top = float(max(work.blind[-1], work.regret[-1])) * 1.06
        lost.set_ylim(0.0, top)
        lines = sorted([(work.blind[-1], "blind", GREY), (work.regret[-1], "this policy", _BLUE)])
        heights = spread([end / top for end, _, _ in lines], 0.14)
        for (_, label, colour), height in zip(lines, heights, strict=True):
            lost.annotate(
                label, (1.02, height), xycoords="axes fraction", color=colour, weight="bold",
                va="center", fontsize=9.5,
            )  # fmt: skip
        for axes, label in ((rewards, "expected\nreward"), (lost, "regret")):
            axes.set_ylabel(label)
            axes.grid(axis="y", color="#e6e6e6", lw=0.6)
        rewards.set_ylim(0.0, 1.0)
        lost.set_xlabel("round")
        for axes in (rewards, strip, lost):
            axes.set_xlim(1, len(work.arms))
            tidy(axes)
        rewards.tick_params(labelbottom=False)
        kind = "clicks" if work.is_clicks else "noise 0.1"
        write_title(figure, _LEFT, name, f"one run, {kind}, the arms change places twice")
        return render(figure, _words(name, work), ("svg",))


def work_of(name: str) -> Work:
    """Play a policy, tuned to the facts of a small world, and note what it chose."""
    cls = registry.own().policies[name]
    is_clicks = cls.card.is_logistic or "Beta" in name
    piece = _LOGISTIC_PIECE if cls.card.is_logistic else _PIECE
    world = dw.worlds.Switching(
        horizon=3 * piece, times=[piece + 1, 2 * piece + 1], parameters=_MEANS,
        noise=None if is_clicks else 0.1, rewards="bernoulli" if is_clicks else "gaussian",
    )  # fmt: skip
    policy = line_up(world, {name: cls}, _SEED).policies[name]
    (rounds,) = world.rounds(_SEED, world.horizon)
    arms = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dw.SettingsWarning)  # clicks are wide for some
        agent = dw.Agent(policy, decision_set=world.decision_set, seed=_SEED, is_interpreted=True)
        for rewards in rounds.rewards:
            decision = agent.choose()
            agent.learn(decision, rewards[decision.arm])
            arms.append(decision.arm)
    return Work(rounds.means, np.array(arms), is_clicks)


def picture_of_world(name: str) -> Drawing:
    """Draw how a world drifts: with its defaults, or as in the example of its docstring."""
    cls = registry.own().worlds[name]
    try:
        world = default_world(cls, None, _WORLD_HORIZON)
    except (MissingSettingsError, ValueError):
        world = _world_of_example(cls)
    return draw_world(follow(world, 0), kind="svg")


def _world_of_example(cls: type[Any]) -> Any:
    """Return the world that the example in the docstring of a class makes."""
    names = dict(vars(inspect.getmodule(cls)))
    source = doctest.script_from_examples(inspect.getdoc(cls) or "")
    exec(source, names)
    return names["world"]


def _draw_played(axes: Any, arms: NDArray[np.int64], styles: list[Style]) -> None:
    starts = np.flatnonzero(np.diff(arms, prepend=-1))
    widths = np.diff(np.append(starts, len(arms)))
    spans = list(zip((starts + 1).tolist(), widths.tolist(), strict=True))
    axes.broken_barh(spans, (0, 1), color=[styles[arm].colour for arm in arms[starts]], lw=0)
    axes.set(yticks=[0.5], yticklabels=["played"], ylim=(0, 1), xticks=[])
    axes.spines[:].set_visible(False)


def _words(name: str, work: Work) -> str:
    right = float(np.mean(work.arms == work.means.argmax(axis=1)))
    return (
        f"{name} among three arms that change places twice: it plays the best one in {right:.0%} of"
        f" {len(work.arms):,} rounds; its regret is {work.regret[-1]:.0f}, that of choosing blindly"
        f" {work.blind[-1]:.0f}."
    )
