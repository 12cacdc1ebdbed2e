from .account import follow
from .description.builtin import builtin_names, find_experiment
from .description.experiment import Experiment, ExperimentError
from .description.reading import parse_experiment, read_experiment
from .explanation_figure import draw_explanation
from .findings import Findings
from .outcome import Outcome
from .reproduce import reproduce
from .run import run
from .work.results import load_results, merge_results

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
