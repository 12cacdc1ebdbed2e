"""`AdaptiveUCB` with one setting changed at a time, over scenarios of several seeds."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...scores.board import Scoreboard, scoreboard_of
from ...scores.record import BoardRecord
from ..analysis.findings import Findings
from ..spec.experiment import Experiment
from ..spec.reading import parse_experiment
from .fuzz import fuzz_text
from .recording import board_record

__all__ = [
    "RECORD", "SEEDS", "UNCHANGED", "VARIANTS", "ablation_experiment", "ablation_record", "command_for", "pooled",
]  # fmt: skip

Settings = Mapping[str, float | str]  # a text is a formula

RECORD = "docs/ablations.json"
# The seeds that checked what others had decided; those that are reported must not be among them.
SEEDS = (36, 37, 38, 39, 40)
UNCHANGED = "as it is"
_REPLICATIONS = 3
_CHANGES: Mapping[str, Settings] = {
    "no doubt": {"doubt": 0.0},
    "half the doubt": {"doubt": 0.25},
    "twice the doubt": {"doubt": 1.0},
    "no probe": {"probing": 0.0},
    "half the probing": {"probing": 0.04},
    "twice the probing": {"probing": 0.16},
    "probes that thin out faster": {"probing": 0.15, "probing_decay": 0.5},
    "told half the bound": {"parameter_norm": "S / 2"},
    "told three times the bound": {"parameter_norm": "3 * S"},
    "faster sharing": {"sharing_delay": 3.0},
    "less optimism": {"width": 1.5},
    "more optimism": {"width": 2.5},
    "8 filters": {"drift_ratio": 16.0},
    "noise over 100 rounds": {"noise_memory": 100.0},
    "noise over 1000 rounds": {"noise_memory": 1000.0},
    "surprises capped sooner": {"error_cap": 10.0},
    "surprises capped later": {"error_cap": 40.0},
}


def _label(words: str, settings: Settings) -> str:
    """Return words and settings, so that no table can show the one without the other."""
    shown = ", ".join(
        f"{name}={value if isinstance(value, str) else format(round(value, 3), 'g')}"
        for name, value in settings.items()
    )
    return f"{words} ({shown})"


VARIANTS: Mapping[str, Settings] = {
    UNCHANGED: {},
    **{_label(words, settings): settings for words, settings in _CHANGES.items()},
}


def ablation_experiment(seed: int, *, quick: bool = False) -> Experiment:
    """Return the scoreboard of a seed, played by the variants instead of by all policies.

    Examples
    --------
    >>> experiment = ablation_experiment(36)
    >>> experiment.contestants[:2], len(experiment.worlds), list(experiment.comparators)
    (('as it is', 'no doubt (doubt=0)'), 81, ['best window', 'best of all settings'])
    """
    head, rest = fuzz_text(seed).split("[[policies]]", 1)
    head = head.replace('title = "', 'title = "Ablations of AdaptiveUCB: ', 1)
    yardsticks = rest[rest.index("[[comparators]]") :]
    policies = (_entry(label, settings) for label, settings in VARIANTS.items())
    text = "\n\n".join([head.rstrip(), *policies, yardsticks])
    experiment = parse_experiment(text, f"scoreboard-ablations-{seed}", quick=quick)
    return experiment if quick else replace(experiment, replications=_REPLICATIONS)


def ablation_record(findings: Findings) -> BoardRecord:
    """Return what is kept of a seed that was played: the variants in the order of their list."""
    record = board_record(findings)
    scores = {label: record.board.scores[label] for label in findings.experiment.contestants}
    board = record.board._replace(scores=scores)
    return record._replace(command=command_for([board.fuzz], record), board=board)


def command_for(seeds: Iterable[int | None], record: BoardRecord) -> str:
    """Return what plays the scenarios of some seeds as often as those of a record."""
    words = [word for seed in seeds for word in ("--fuzz", str(seed))]
    words += ["--quick"] * record.is_quick + ["--replications", str(record.replications)]
    return f"make ablations ARGS={shlex.quote(' '.join(words))}"


def pooled(boards: Sequence[Scoreboard]) -> Scoreboard:
    """Return one scoreboard over the scenarios of several seeds, each named with its seed."""
    first = boards[0]
    families = {_named(s, board): f for board in boards for s, f in board.scenarios.items()}
    ratios = {
        variant: {
            comparator: {
                _named(scenario, board): ratio
                for board in boards
                for scenario, ratio in board.scores[variant][comparator].ratios.items()
            }
            for comparator in first.comparators
        }
        for variant in first.scores
    }
    kinds = {_named(s, board): kind for board in boards for s, kind in board.kinds.items()}
    return scoreboard_of(families, first.comparators, ratios, first.told, None, kinds)


def _named(scenario: str, board: Scoreboard) -> str:
    return f"{scenario}, seed {board.fuzz}"


def _entry(label: str, settings: Settings) -> str:
    lines = {"name": "AdaptiveUCB", "label": label, "tuned": False, **settings}
    return "\n".join(["[[policies]]", *(f"{k} = {json.dumps(v)}" for k, v in lines.items())])
