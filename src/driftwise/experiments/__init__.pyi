from .analysis.account import follow
from .analysis.findings import Findings
from .analysis.outcome import Outcome
from .execution.results import load_results, merge_results
from .figures.explanation_figure import draw_explanation
from .reproduce import reproduce
from .run import run
from .spec.builtin import builtin_names, find_experiment
from .spec.experiment import Experiment, ExperimentError
from .spec.reading import parse_experiment, read_experiment

__all__ = [
    "Experiment",
    "ExperimentError",
    "Findings",
    "Outcome",
    "builtin_names",
    "draw_explanation",
    "find_experiment",
    "follow",
    "load_results",
    "merge_results",
    "parse_experiment",
    "read_experiment",
    "reproduce",
    "run",
]
