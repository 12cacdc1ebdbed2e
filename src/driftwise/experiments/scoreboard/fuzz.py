"""Random scenarios by seed: tuning on one seed and reporting another keeps one honest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...core.base.validation import require_integer
from ...core.randomness.seeds import generator
from ..spec.builtin import text_of
from ..spec.experiment import Experiment
from ..spec.reading import parse_experiment
from .field import FIELD
from .laboratory import LABORATORY, Draw, Scenario

__all__ = ["FAMILIES", "draw_scenarios", "fuzz_experiment", "fuzz_text"]

FAMILIES: Mapping[str, Draw] = {**LABORATORY, **FIELD}
_PER_FAMILY = 3
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
    """Return three scenarios of every family; the same seed draws the same ones.

    Examples
    --------
    >>> scenarios = draw_scenarios(0)
    >>> len(scenarios) == 3 * len(FAMILIES), scenarios[0]["label"], scenarios[0]["name"]
    (True, 'sinusoid 1', 'Sinusoid')
    """
    require_integer("fuzz", seed, at_least=0)
    scenarios = []
    for family, draw in FAMILIES.items():
        random = generator(seed, f"scenarios/{family}")
        for i in range(_PER_FAMILY):
            horizon = int(random.choice(_HORIZONS))
            common = {"label": f"{family} {i + 1}", "family": family, "horizons": [horizon]}
            scenarios.append(common | draw(random, horizon))
    return scenarios


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


def _line(item: tuple[str, Any]) -> str:
    name, value = item
    return f"{name} = {_toml(value)}"


def _toml(value: Any) -> str:
    """Return a value in TOML: numbers, texts and lists of them are the same in JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(map(_line, value.items()))} }}"
    return json.dumps(value)
