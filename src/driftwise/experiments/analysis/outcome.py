"""What a run hands back: plain data, in words for people and as one document for programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import __version__
from ...core.base.showing import html_of, plain_number, text_of
from .findings import Findings
from .summary import as_plain, summarise

__all__ = ["Outcome"]

_SHOWN = 3  # the best policies of a world
_MOST_ROWS = 24
_COLUMNS = ("world", "rounds", "policy", "regret", "95% interval")


@dataclass(frozen=True, repr=False)
class Outcome:
    """The findings of a run and the files that it left."""

    title: str
    findings: tuple[Findings, ...]  # one for each experiment
    files: dict[str, Path]  # in the order in which one would open them
    command: str  # what makes the same numbers again

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C stopped the run before it was complete."""
        return not all(each.is_complete for each in self.findings)

    def __repr__(self) -> str:
        return text_of(self.title, self._facts(), _COLUMNS, self._best())

    def _repr_html_(self) -> str:
        return html_of(self.title, self._facts(), _COLUMNS, self._best())

    def _facts(self) -> list[tuple[str, str]]:
        verdicts = [verdict for each in self.findings for verdict in each.verdicts]
        facts = [(verdict.result.value, verdict.claim.title) for verdict in verdicts]
        facts += [("interrupted", self._interruption())] if self.is_interrupted else []
        return [*facts, *(("report", str(path)) for path in list(self.files.values())[:1])]

    def _best(self) -> list[list[str]]:
        """Return the best policies of each world, at each of its horizons: a glance, not all."""
        rows = []
        for each in (standings for findings in self.findings for standings in findings.standings):
            for policy, regret, *_ in each.standings[:_SHOWN]:
                low, high = map(plain_number, regret.span)
                interval = "" if regret.low is None else f"{low} to {high}"
                place = [each.world, plain_number(each.horizon), policy]
                rows.append([*place, plain_number(regret.value), interval])
        return rows[:_MOST_ROWS]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as numbers, strings, lists and dictionaries, ready for JSON."""
        return {
            "title": self.title,
            "verdicts": [
                {
                    "experiment": verdict.experiment,
                    "claim": verdict.claim.title,
                    "paper": verdict.claim.quote,
                    "verdict": verdict.result.value,
                    "measured": verdict.sentence,
                    "rule": verdict.rule,
                }
                for each in self.findings
                for verdict in each.verdicts
            ],
            "experiments": [_document(each) for each in self.findings],
            "interrupted": self.is_interrupted,
            "command": self.command,
            "version": __version__,
            "files": {name: str(path) for name, path in self.files.items()},
        }

    def as_text(self) -> str:
        """Return verdicts and standings in plain words, then where to read on."""
        if not any(each.pairs for each in self.findings):
            return (
                "Interrupted before all policies had finished a replication. What is finished was"
                f" kept, and the same command resumes from there: {self.command}"
            )
        lines = []
        verdicts = [verdict for each in self.findings for verdict in each.verdicts]
        for i, verdict in enumerate(verdicts, start=1):
            lines += [
                f"{i}. {verdict.claim.title}: {verdict.result.value.upper()}",
                f"   The paper: “{verdict.claim.quote}”.",
                f"   Measured: {verdict.sentence}",
                "",
            ]
        if self.is_interrupted:
            lines += [self._interruption(), ""]
        elif any(each.experiment.is_quick for each in self.findings):
            lines += ["A quick look; run without --quick for the full experiment.", ""]
        if self.files:
            (_, report), *others = self.files.items()
            lines += [f"Report: {report}", f"Beside it: {', '.join(name for name, _ in others)}"]
        return "\n".join(lines)

    def _interruption(self) -> str:
        missing = sum(len(each.missing) for each in self.findings)
        return (
            f"Interrupted with {missing} cells to go. What is finished was kept and written:"
            " the same command resumes from there."
        )


def _document(findings: Findings) -> dict[str, Any]:
    experiment = findings.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "seed": experiment.seed,
        "replications": experiment.replications,
        "quick": experiment.is_quick,
        "horizons": list(experiment.horizons),
        "missing": [cell.id for cell in findings.missing],
        "standings": summarise(findings.standings, findings.best).to_dicts()
        if findings.pairs
        else [],
        "slopes": [
            {
                "world": world,
                "policy": each.policy,
                "theory": findings.exponents.get(each.policy),
                **as_plain(each.slope),
            }
            for world, grown in findings.growth.items()
            for each in grown
        ],
    }
