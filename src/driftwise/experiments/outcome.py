"""What a run hands back: plain data, in words for people and as one document for programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from .bootstrap import Estimate
from .findings import Findings

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """The verdicts of a run and the files that it left."""

    findings: Findings
    files: dict[str, Path]  # by file name, in the order in which one would open them

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C stopped the run before it was complete."""
        return self.findings.is_interrupted

    def as_dict(self) -> dict[str, Any]:
        """Return everything as numbers, texts, lists and dictionaries, fit for JSON."""
        findings = self.findings
        return {
            "verdicts": [
                {
                    "figure": verdict.figure,
                    "claim": verdict.claim.title,
                    "paper": verdict.claim.quote,
                    "verdict": verdict.result.value,
                    "measured": verdict.sentence,
                    "rule": verdict.rule,
                }
                for verdict in findings.verdicts
            ],
            "figures": [
                _figure(findings, experiment.name) for experiment in findings.paper.experiments
            ],
            "replications": findings.order.replications,
            "seed": findings.order.seed,
            "quick": findings.order.quick,
            "interrupted": findings.is_interrupted,
            "command": findings.order.command,
            "version": __version__,
            "files": {name: str(path) for name, path in self.files.items()},
        }

    def as_text(self) -> str:
        """Return the verdicts in plain words, then where to read on."""
        if not self.findings.analyses:
            return "Interrupted before the first replication was finished: nothing was written."
        lines = []
        for i, verdict in enumerate(self.findings.verdicts, start=1):
            lines += [
                f"{i}. {verdict.claim.title}: {verdict.result.value.upper()}",
                f"   The paper: “{verdict.claim.quote}”.",
                f"   Measured: {verdict.sentence}",
                "",
            ]
        if self.is_interrupted:
            lines += [_interruption(self.findings), ""]
        elif self.findings.order.quick:
            lines += ["A quick look; run without --quick for the full experiment.", ""]
        first, *others = self.files.values()
        lines += [f"Report: {first}", f"Beside it: {', '.join(path.name for path in others)}"]
        return "\n".join(lines)


def _interruption(findings: Findings) -> str:
    counts = sorted({n for figure in findings.finished.values() for n in figure.values()})
    span = " to ".join(map(str, dict.fromkeys([counts[0], counts[-1]])))
    return (
        f"Interrupted: {span} of {findings.order.replications}"
        " replications were finished at each horizon, and the files hold those."
    )


def _figure(findings: Findings, name: str) -> dict[str, Any]:
    (experiment,) = (e for e in findings.paper.experiments if e.name == name)
    finished = [
        {"horizon": horizon, "replications": n} for horizon, n in findings.finished[name].items()
    ]
    document: dict[str, Any] = {"figure": name, "finished": finished}
    analysis = findings.analyses.get(name)
    if analysis is None:
        return document
    return document | {
        "ratio_of": list(experiment.policies),
        "overall_ratio": _estimate(analysis.overall_ratio),
        "ratios": [
            {"horizon": horizon} | _estimate(ratio)
            for horizon, ratio in zip(analysis.horizons, analysis.ratios, strict=True)
        ],
        "slopes": [
            {"policy": policy, "theory": experiment.exponent(policy)} | _estimate(slope)
            for policy, slope in analysis.slopes.items()
        ],
        "regret": [
            {"policy": policy, "horizon": horizon} | _estimate(mean)
            for policy, means in analysis.means.items()
            for horizon, mean in zip(analysis.horizons, means, strict=True)
        ],
    }


def _estimate(estimate: Estimate | None) -> dict[str, float | None]:
    if estimate is None:  # JSON has no word for a number that is not one
        return {"value": None, "low": None, "high": None}
    return estimate._asdict()
