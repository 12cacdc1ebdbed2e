"""Random scenarios by seed: tuning on one seed and reporting another keeps one honest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.base.validation import require_integer
from ...core.randomness.seeds import generator
from ..spec.builtin import text_of
from ..spec.experiment import Experiment
from ..spec.reading import parse_experiment

__all__ = ["FAMILIES", "draw_scenarios", "fuzz_experiment", "fuzz_text"]

Random = np.random.Generator
Scenario = dict[str, Any]  # the settings of one world, as in an experiment file

_SCENARIOS = 60
_HORIZONS = (4000, 8000, 16000)


def fuzz_experiment(seed: int, *, quick: bool = False) -> Experiment:
    """Return the scoreboard's experiment with scenarios drawn by ``seed``.

    Examples
    --------
    >>> experiment = fuzz_experiment(7)
    >>> experiment.name, experiment.scenario_seed, experiment.seed
    ('scoreboard-fuzz-7', 7, 0)
    """
    return parse_experiment(fuzz_text(seed), f"scoreboard-fuzz-{seed}", quick=quick)


def fuzz_text(seed: int) -> str:
    """Return the scoreboard's experiment file with scenarios drawn by ``seed``."""
    scenarios = draw_scenarios(seed)
    head = text_of("scoreboard").split("[[worlds]]", 1)[0]
    title = f'title = "Scoreboard, scenarios of seed {seed}"'
    head = head.replace("title = ", f"scenario_seed = {seed}\n{title} # ", 1)
    worlds = ["[[worlds]]\n" + "\n".join(map(_line, each.items())) for each in scenarios]
    return head + _note(seed, len(scenarios)) + "\n\n".join(worlds) + "\n"


def draw_scenarios(seed: int) -> list[Scenario]:
    """Return some scenarios of every family, 3 or 4; the same seed draws the same ones.

    Examples
    --------
    >>> scenarios = draw_scenarios(0)
    >>> len(scenarios), scenarios[0]["label"], scenarios[0]["name"]
    (60, 'sinusoid 1', 'Sinusoid')
    """
    require_integer("fuzz", seed, at_least=0)
    scenarios = []
    for place, (family, draw) in enumerate(FAMILIES.items()):
        random = generator(seed, f"scenarios/{family}")
        for i in range(len(range(place, _SCENARIOS, len(FAMILIES)))):  # dealt like cards
            horizon = int(random.choice(_HORIZONS))
            common = {"label": f"{family} {i + 1}", "family": family, "horizons": [horizon]}
            scenarios.append(common | draw(random, horizon))
    return scenarios


def _sinusoid(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Sinusoid",
        "variation": _between(random, 0.4, 30.0),
        "noise": _between(random, 0.05, 1.0),
    }


def _switching(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Switching",
        "n_changes": int(random.integers(1, 16)),
        "times": str(random.choice(["even", "random"])),
        "dimension": int(random.integers(2, 11)),
        "noise": _between(random, 0.05, 1.0),
    }


def _stationary(random: Random, horizon: int) -> Scenario:
    n_arms = int(random.integers(2, 11))
    return {
        "name": "Stationary",
        "parameter": random.uniform(0.0, 1.0, n_arms).round(3).tolist(),
        "noise": _between(random, 0.05, 1.0),
    }


def _hidden_improvement(random: Random, horizon: int) -> Scenario:
    return {
        "name": "HiddenImprovement",
        "n_arms": int(random.integers(2, 7)),
        "time": int(horizon * random.uniform(0.2, 0.8)),
        "improved": round(float(random.uniform(0.6, 1.0)), 3),
        "noise": _between(random, 0.05, 0.5),
    }


def _random_walk(random: Random, horizon: int) -> Scenario:
    return {
        "name": "RandomWalk",
        "dimension": int(random.integers(2, 7)),
        "step": _between(random, 0.001, 0.03),
        "noise": _between(random, 0.05, 1.0),
    }


def _seasonal(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Seasonal",
        "dimension": int(random.integers(2, 7)),
        "period": int(_between(random, 200, 4000)),
        "noise": _between(random, 0.05, 0.5),
    }


def _late_change(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Switching",
        "times": [int(horizon * random.uniform(0.7, 0.9))],
        "dimension": int(random.integers(2, 7)),
        "noise": _between(random, 0.05, 0.5),
    }


def _stopping_drift(random: Random, horizon: int) -> Scenario:
    return {
        "name": "StoppingDrift",
        "variation": _between(random, 1.0, 10.0),
        "moving": round(float(random.uniform(0.2, 0.6)), 3),
        "noise": _between(random, 0.05, 0.5),
    }


def _linear(motion: str) -> Callable[[Random, int], Scenario]:
    def draw(random: Random, horizon: int) -> Scenario:
        return {
            "name": "FreshSets",
            "motion": motion,
            "dimension": int(random.integers(2, 7)),
            "n_arms": int(random.integers(5, 21)),
            "variation": _between(random, 1.0, 12.0),
            "noise": _between(random, 0.05, 1.0),
        }

    return draw


def _pricing(random: Random, horizon: int) -> Scenario:
    return {
        "name": "Pricing",
        "variation": _between(random, 0.1, 4.0),
        "demand_noise": _between(random, 0.05, 0.3),
    }


def _ads(random: Random, horizon: int) -> Scenario:
    return {
        "name": "AdsAllocation",
        "dimension": int(random.integers(3, 8)),
        "n_arms": int(random.integers(5, 13)),
        "variation": _between(random, 0.5, 10.0),
    }


def _collinear(random: Random, horizon: int) -> Scenario:
    return {"name": "NearlyCollinear", "offset": _between(random, 0.05, 0.3)}


def _odd_noise(random: Random, horizon: int) -> Scenario:
    kind = str(random.choice(["heavy-tailed", "heteroscedastic"]))
    base = [_sinusoid, _switching][int(random.integers(2))](random, horizon)
    return base | {"rewards": kind, "noise": _between(random, 0.05, 0.4)}


def _bernoulli(random: Random, horizon: int) -> Scenario:
    base = [_sinusoid, _hidden_improvement][int(random.integers(2))](random, horizon)
    del base["noise"]
    return base | {"rewards": "bernoulli"}


FAMILIES: dict[str, Callable[[Random, int], Scenario]] = {
    "sinusoid": _sinusoid,
    "switching": _switching,
    "stationary": _stationary,
    "hidden improvement": _hidden_improvement,
    "random walk": _random_walk,
    "seasonal": _seasonal,
    "late change": _late_change,
    "drift that stops": _stopping_drift,
    "linear rotation": _linear("rotation"),
    "linear jumps": _linear("jumps"),
    "linear walk": _linear("walk"),
    "pricing": _pricing,
    "ads": _ads,
    "collinear": _collinear,
    "odd noise": _odd_noise,
    "bernoulli": _bernoulli,
}


def _note(seed: int, n_scenarios: int) -> str:
    """Return the note by which every report says where its scenarios come from."""
    text = (
        f"Seed {seed} of the second generator drew the {n_scenarios} scenarios: `driftwise run"
        f" scoreboard --fuzz {seed}`. It does not decide the noise: that is the experiment's seed."
    )
    return (
        "\n".join(
            [
                "[[notes]]",
                'kind = "How to read this"',
                'what = "Scenarios"',
                f"text = {json.dumps(text)}",
            ]
        )
        + "\n\n"
    )


def _between(random: Random, low: float, high: float) -> float:
    """Draw a number, all orders of magnitude alike; three digits are enough to write it down."""
    return float(f"{np.exp(random.uniform(np.log(low), np.log(high))):.3g}")


def _line(item: tuple[str, Any]) -> str:
    name, value = item
    return f"{name} = {json.dumps(value)}"  # numbers, texts and lists are the same in TOML
