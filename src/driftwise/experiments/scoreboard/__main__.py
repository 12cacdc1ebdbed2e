"""`python -m driftwise.experiments.scoreboard`: play the scoreboards and rewrite their pages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...scores.record import Record, from_text
from ..report.overview import versions
from ..run import altered, run
from ..spec.builtin import find_experiment
from ..spec.experiment import Experiment
from . import ablation_page
from .ablations import SEEDS as ABLATION_SEEDS
from .ablations import ablation_experiment, ablation_record
from .fuzz import fuzz_experiment
from .publishing import RECORD, publish
from .recording import board_record

# What is reported. Whatever decided anything about a policy must not be among them.
REPORTED = (2030,)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the scenarios of some seeds, then write README, page and figures."""
    parser = argparse.ArgumentParser(prog="make scoreboard", description=main.__doc__)
    parser.add_argument(
        "--fuzz", type=int, action="append", metavar="SEED",
        help=f"draw scenarios by this seed; may be repeated; by default {REPORTED[0]}, or for"
        f" ablations {ABLATION_SEEDS[0]} to {ABLATION_SEEDS[-1]}",
    )  # fmt: skip
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--no-fuzz", action="store_true", help="play the fixed scenarios instead")
    kinds.add_argument(
        "--ablations", action="store_true",
        help="play AdaptiveUCB with one setting changed at a time, and write that table only",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="a first look: 2 replications")
    parser.add_argument("--replications", type=int, metavar="N", help="as the file says by default")
    parser.add_argument("--jobs", type=int, metavar="N", help="how many runs to play at a time")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "--again", action="store_true", help="play nothing: write the pages from docs/*.json"
    )
    parser.add_argument("--root", type=Path, default=Path(), help="where README.md and docs/ are")
    given = parser.parse_args(arguments)
    try:  # before hours of work, after which an error is a bug
        record = _recorded(given) if given.again else None
        experiments = [] if given.again else _experiments(given)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    if not given.again:
        record = _played(experiments, given)
    if record is None:
        print("Interrupted: nothing was published; the same command resumes.", file=sys.stderr)
        return 130
    write_pages = ablation_page.publish_ablations if given.ablations else publish
    for path in write_pages(record, given.root):
        print(path)
    return 0


def _recorded(given: argparse.Namespace) -> Record:
    name = ablation_page.RECORD if given.ablations else RECORD
    return from_text((given.root / name).read_text("utf-8"))


def _experiments(given: argparse.Namespace) -> list[Experiment]:
    if given.ablations:
        seeds = given.fuzz or ABLATION_SEEDS
        experiments = [ablation_experiment(seed, quick=given.quick) for seed in seeds]
    elif given.no_fuzz:
        experiments = [find_experiment("scoreboard", quick=given.quick)]
    else:
        seeds = given.fuzz or REPORTED
        experiments = [fuzz_experiment(seed, quick=given.quick) for seed in seeds]
    return [altered(experiment, given.replications, None) for experiment in experiments]


def _played(experiments: Sequence[Experiment], given: argparse.Namespace) -> Record | None:
    """Play all boards, each into a folder of results of its own, where a run can resume."""
    boards, record_of = [], ablation_record if given.ablations else board_record
    for experiment in experiments:
        out = given.root / "results" / experiment.name
        outcome = run(experiment, out=out, jobs=given.jobs, quiet=given.quiet)
        if outcome.is_interrupted:
            return None
        boards.append(record_of(outcome.findings[0]))
    return Record(datetime.now(UTC).date().isoformat(), versions(), tuple(boards))


if __name__ == "__main__":
    sys.exit(main())
