"""The results of a run: one Parquet file that says where it comes from."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from ... import __version__
from ...core.base.files import write
from ..spec.experiment import Experiment
from ..spec.reading import parse_experiment
from .store import CELLS

__all__ = ["FILE_NAME", "Origin", "load_results", "merge_results", "save_results"]

FILE_NAME = "results.parquet"
_KEY = "driftwise"  # under which the file's metadata is found
_RUN = ("world", "policy", "horizon", "replication", "round")


class Origin(NamedTuple):
    """Where numbers come from: enough to make them again."""

    name: str
    version: str  # of driftwise
    seed: int
    replications: int
    is_quick: bool
    text: str  # the experiment file

    @property
    def experiment(self) -> Experiment:
        """The experiment, with what the command line changed of it."""
        experiment = parse_experiment(self.text, self.name, quick=self.is_quick)
        return replace(experiment, seed=self.seed, replications=self.replications)


def save_results(folder: Path, experiment: Experiment, numbers: pl.DataFrame) -> Path:
    """Write the numbers of an experiment, with the experiment, the version and the seed in them."""
    origin = Origin(
        name=experiment.name,
        version=__version__,
        seed=experiment.seed,
        replications=experiment.replications,
        is_quick=experiment.is_quick,
        text=experiment.text,
    )
    return _write(folder, [origin], numbers)


def load_results(folder: Path) -> tuple[pl.DataFrame, list[Origin]]:
    """Return the numbers of a folder, and all experiments that they come from.

    Raises
    ------
    OSError
        If there is no such file.
    ValueError
        If the file is not one that a run has written.
    """
    path = folder / FILE_NAME if folder.is_dir() else folder
    if not path.exists():
        reason = ""
        if (folder / CELLS).is_dir():
            reason = (
                ", whose run was interrupted before all policies had finished a replication:"
                f" driftwise run EXPERIMENT --out {folder} resumes it"
            )
        raise OSError(f"results must be a folder with a file {FILE_NAME}, got {folder}{reason}")
    content = path.read_bytes()
    try:
        origins = json.loads(pl.read_parquet_metadata(io.BytesIO(content))[_KEY])
        numbers = pl.read_parquet(io.BytesIO(content))
    except (KeyError, ValueError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"{path} must be written by `driftwise run` ({error})") from None
    return numbers, [Origin(**origin) for origin in origins]


def merge_results(folders: Sequence[Path], out: Path) -> Path:
    """Write the numbers of several folders into one.

    What they have in common must be equal: numbers that were made with another seed, another
    version or other settings under the same label cannot be told apart later.
    """
    loaded = [load_results(folder) for folder in folders]
    seeds = {origin.seed for _, origins in loaded for origin in origins}
    if len(seeds) > 1:
        raise ValueError(f"results must have the same seed to be merged, got {sorted(seeds)}")
    _require_same_meaning([origin for _, origins in loaded for origin in origins])
    together = pl.concat([numbers for numbers, _ in loaded]).unique(maintain_order=True)
    twice = together.filter(together.select(_RUN).is_duplicated())
    if len(twice):
        row: dict[str, Any] = twice.row(0, named=True)
        raise ValueError(
            "results must agree where they overlap, got two regrets for "
            f"{row['world']}/{row['policy']}/T={row['horizon']}, replication {row['replication']}"
        )
    origins = list(dict.fromkeys(origin for _, each in loaded for origin in each))
    return _write(out, origins, together)


def _require_same_meaning(origins: Sequence[Origin]) -> None:
    """Refuse a label that stands for different things in different folders."""
    known: dict[tuple[str, str], Any] = {}
    for origin in origins:
        experiment = origin.experiment
        for kind, entries in (("world", experiment.worlds), ("policy", experiment.policies)):
            for entry in entries:
                meaning = (origin.version, replace(entry, place=()))
                if known.setdefault((kind, entry.label), meaning) != meaning:
                    raise ValueError(
                        f"results must mean the same by a label to be merged, got two definitions of "
                        f"the {kind} {entry.label!r}"
                    )


def _write(folder: Path, origins: Sequence[Origin], numbers: pl.DataFrame) -> Path:
    """Write a file: the same bytes for the same content."""
    metadata = {_KEY: json.dumps([origin._asdict() for origin in origins])}
    stream = io.BytesIO()
    numbers.write_parquet(stream, metadata=metadata, statistics=False)
    return write(folder / FILE_NAME, stream.getvalue())
