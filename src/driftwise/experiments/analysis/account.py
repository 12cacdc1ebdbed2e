"""One run of a policy that is asked at regular intervals what it believes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.base.errors import RuleValueError
from ...core.base.validation import require_integer
from ...core.base.waiting import Waiting
from ...core.contract.policy import Policy
from ...core.engine.simulate import Player, schedule_of
from ...core.explain.explaining import explained
from ...registry import all_policies, find_policy
from ...worlds import LinearWorld
from ..setup.changes import changed_rounds, is_jumping

__all__ = ["Account", "Track", "follow", "require_explainable"]

Numbers = NDArray[np.float64]

_MOST_LINES = 4  # more estimates in one panel cannot be told apart
_MOST_CHANGES = 60  # more marks than this would be a grey wall
_SIZE = 4096


class Track(NamedTuple):
    """What a policy took a few numbers to be, and what they were."""

    kind: Literal["arm", "coordinate"]  # mean rewards of arms, or coordinates of the parameter
    values: Numbers  # (n, columns), estimates
    errors: Numbers  # (n, columns), their standard errors
    truth: Numbers | None  # (n, columns); None if nobody knows it, as in records


class Account(NamedTuple):
    """What a policy said of itself at some rounds of one run."""

    policy: str
    world: str
    seed: int
    rounds: NDArray[np.int64]  # (n,), counted from 1
    memory: Numbers  # (n,), effective, in rounds
    noise: Numbers | None  # (n,), estimated, where it is
    true_noise: float  # what the world tells of it: a bound, if it is not the same everywhere
    track: Track | None
    has_drift_in_errors: bool  # whether its standard errors allow for drift, or for noise alone
    regret: Numbers  # (n,), cumulative
    notices: (
        list[int] | None
    )  # rounds in which changes showed that it noticed; None if it never does
    changes: list[int]  # rounds in which the world jumped, if it does and not too often


def follow(
    policy: Policy,
    world: Any,
    *,
    seed: int = 0,
    checkpoints: int = 300,
    watch: Callable[[int], None] | None = None,
) -> Account:
    """Play a policy in a world once, and ask it at up to a number of rounds, evenly spread.

    Compiled, and the very run that `driftwise.simulate` plays with the same seed. ``watch`` is told
    how many rounds were played, each time that the policy was asked. Of several changes noticed
    between two questions, the account has the last.

    Examples
    --------
    >>> import driftwise as dw
    >>> policy, world = dw.SlidingWindowUCB(60, noise=0.1), dw.worlds.Sinusoid(horizon=100)
    >>> account = follow(policy, world, checkpoints=4)
    >>> account.rounds.tolist(), account.memory.tolist()
    ([25, 50, 75, 100], [25.0, 50.0, 60.0, 60.0])
    """
    if hasattr(policy, "estimate_in") and not hasattr(policy, "belief_in"):
        raise AttributeError(f"{type(policy).__name__} gives no account of its estimate")
    n = min(require_integer("checkpoints", checkpoints), world.horizon)
    fixed = world.decision_set if isinstance(world.decision_set, np.ndarray) else None
    player, schedule = Player(policy, world, seed), schedule_of(world, seed)
    ends, lost, told, means = [], [], list[dict[str, Any]](), []
    has_means = hasattr(world, "path")
    with Waiting(world.horizon, "Asking", quiet=watch is not None) as waiting:
        for rounds in world.rounds(seed, -(-world.horizon // n)):
            count = rounds.count_rounds()
            player.play(rounds, None if schedule is None else schedule.next_chunk(count))
            ends.append(player.first)
            lost.append(player.total[0])
            told.append(explained(policy, player.memory, fixed))
            if fixed is not None:
                means.append(rounds.means[-1])
                # Records without expected rewards hand out the rewards themselves.
                has_means = has_means or not np.array_equal(rounds.means, rounds.rewards)
            (watch or waiting.advance)(count)
    at = np.array(ends)
    track = None
    if "actions" in told[0] and len(told[0]["actions"]) <= _MOST_LINES:
        values, errors = (_per_arm(told, key) for key in ("mean", "standard_error"))
        track = Track("arm", values, errors, np.array(means) if has_means else None)
    elif _has_linear_parameter(policy, player.memory, world):
        values, errors = (
            np.array([e[key] for e in told]) for key in ("estimate", "standard_errors")
        )
        track = Track("coordinate", values, errors, _path_at(world, seed, at))
    is_noticing = told[0]["is_noticing"]
    noticed = {each["last_change"] for each in told} - {None} if is_noticing else None
    changed = changed_rounds(world, seed) if has_means else None
    if not is_jumping(changed, world.horizon) or changed is None or len(changed) > _MOST_CHANGES:
        changed = np.zeros(0, np.int64)
    return Account(
        policy=type(policy).__name__,
        world=type(world).__name__,
        seed=seed,
        rounds=at,
        memory=np.array([each["effective_memory"] for each in told], np.float64),
        noise=_noise(told) if "noise" in told[0] else None,
        true_noise=float(world.noise),
        track=track,
        has_drift_in_errors=told[0]["is_drift_counted"],
        regret=np.array(lost),
        notices=None if noticed is None else sorted(noticed),
        changes=changed.tolist(),
    )


def _noise(told: list[dict[str, Any]]) -> Numbers:
    """Return the noise at each time; NaN where nothing was known of it."""
    return np.array([each["noise"] for each in told], np.float64)


def require_explainable(policy_name: str) -> None:
    """Raise an error if a policy keeps no estimate, so that there is nothing to ask it."""
    if not hasattr(find_policy(policy_name), "belief_in"):
        able = [name for name, cls in all_policies().items() if hasattr(cls, "belief_in")]
        rule = f"go with a policy that keeps an estimate ({', '.join(sorted(able))})"
        raise RuleValueError("explain", rule, policy_name, policy_name)


def _per_arm(told: list[dict[str, Any]], key: str) -> Numbers:
    rows = [[action[key] for action in each["actions"]] for each in told]
    return np.array(rows, np.float64)  # None, if nothing of an arm counts, becomes nan


def _has_linear_parameter(policy: Any, memory: Any, world: Any) -> bool:
    """Return whether policy and world mean the same by a parameter of a few coordinates."""
    is_linear = getattr(type(world), "link", LinearWorld.link) is LinearWorld.link
    if not is_linear or not hasattr(world, "path") or world.dimension > _MOST_LINES:
        return False
    belief = policy.belief_in(memory)
    return not belief.is_logistic and belief.bonuses is None


def _path_at(world: Any, seed: int, rounds: NDArray[np.int64]) -> Numbers:
    """Return the parameter of some rounds, without keeping all of them."""
    found, done = [], 0
    for block in world.path(seed, _SIZE):
        here = rounds[(rounds > done) & (rounds <= done + len(block))]
        found.append(block[here - done - 1])
        done += len(block)
    return np.concatenate(found)
