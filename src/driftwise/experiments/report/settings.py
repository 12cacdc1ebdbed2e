"""What worlds and policies were set to, at each horizon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...pages.pieces import prose, table
from ...policies import SlidingWindowUCB
from ...theory import radius
from ..analysis.findings import Findings
from ..spec.experiment import Entry

__all__ = ["list_settings", "spelled"]

_MOST = 12  # values of a list that are written out


def list_settings(findings: Findings, world: str) -> str:
    """Return one table for a world: its own settings, then those of each policy."""
    experiment = findings.experiment
    horizons = [horizon for label, horizon in findings.pairs if label == world]
    groups = [(world, [_of_world(findings, world, horizon) for horizon in horizons])]
    for family in _families(experiment.policies):
        label = family[0].comparator or family[0].label
        many = f"{label}, {len(family)} policies" if len(family) > 1 else label
        groups.append((many, [_of_family(findings, family, world, each) for each in horizons]))
    head = ("", "setting", *(f"T = {horizon:,}" for horizon in horizons))
    rows = [row for label, columns in groups for row in _rows(label, columns)]
    return table(f"Settings in {world}", head, rows, "settings")


def spelled(value: Any) -> str:
    """Return a setting as people write it.

    Examples
    --------
    >>> spelled(30_000), spelled(0.123456), spelled(np.array([1, 2, 4])), spelled(None)
    ('30,000', '0.1235', '1 2 4', 'none')
    >>> spelled({"name": "RestartUCB"}), spelled({"name": "LinUCB", "ridge": 2})
    ('RestartUCB', 'LinUCB (ridge 2)')
    """
    if value is None:
        return "none"
    if isinstance(value, bool | str):
        return str(value)
    if hasattr(value, "_asdict"):
        value = {"name": type(value).__name__, **value._asdict()}
    if isinstance(value, Mapping):  # a policy, as experiment files have it
        settings = [f"{name} {spelled(each)}" for name, each in value.items() if name != "name"]
        return f"{value['name']} ({', '.join(settings)})" if settings else str(value["name"])
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    if isinstance(value, np.ndarray | list | tuple):
        parts = [spelled(each) for each in value]
        return " ".join(parts[:_MOST]) + (f" … ({len(parts)})" if len(parts) > _MOST else "")
    return str(value)


def _families(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the policies one by one, and those of a comparator together."""
    families: list[list[Entry]] = []
    for entry in entries:
        if entry.comparator and families and families[-1][0].comparator == entry.comparator:
            families[-1].append(entry)
        else:
            families.append([entry])
    return families


def _of_world(findings: Findings, world: str, horizon: int) -> dict[str, str]:
    given = findings.builder.settings(world, horizon)
    moved = findings.variation(world, horizon)
    return {name: spelled(value) for name, value in given.items() if name != "horizon"} | {
        "realised variation, Euclidean steps": _length(moved.l2),
        "realised variation, steps of the arm that moves most": _length(moved.arms),
    }


def _length(moved: float | None) -> str:
    return "unknown" if moved is None or moved != moved else f"{moved:.4g}"


def _of_family(
    findings: Findings, family: Sequence[Entry], world: str, horizon: int
) -> dict[str, str]:
    """Return the settings of a policy, or what policies of a grid have: each value once."""
    columns = [_of_policy(findings, entry.label, world, horizon) for entry in family]
    return {
        name: " · ".join(dict.fromkeys(each.get(name, "none") for each in columns))
        for name in columns[0]
    }


def _of_policy(findings: Findings, label: str, world: str, horizon: int) -> dict[str, str]:
    policy = findings.builder.policy(label, world, horizon)
    settings = {name: spelled(value) for name, value in policy._asdict().items()}
    if isinstance(policy, SlidingWindowUCB):
        settings["radius"] = spelled(
            radius(
                window=policy.window,
                dimension=findings.builder.world(world, horizon).dimension,
                noise=policy.noise,
                action_norm=policy.action_norm,
                parameter_norm=policy.parameter_norm,
                ridge=policy.ridge,
                confidence=policy.confidence,
            )
        )
    return settings


def _rows(label: str, columns: Sequence[dict[str, str]]) -> list[list[str]]:
    """Return one row per setting; what is the same at every horizon is written once."""
    rows = []
    for place, name in enumerate(columns[0]):
        values = [column.get(name, "none") for column in columns]
        shown = [prose(value) for value in values]
        if len(set(values)) == 1 and len(values) > 1:
            shown = [f'<td colspan="{len(values)}" class="same">{shown[0]}</td>']
        head = [f'<th scope="rowgroup" rowspan="{len(columns[0])}">{prose(label)}</th>']
        first = head if place == 0 else []
        # A setting is the head of its row wherever it stands.
        rows.append([*first, f'<th scope="row" class="setting">{prose(name)}</th>', *_cells(shown)])
    if not columns[0]:
        rows.append([f'<th scope="row">{prose(label)}</th>', "<td>nothing to set</td>"])
    return rows


def _cells(shown: Sequence[str]) -> list[str]:
    # A number alone must not break at the minus sign of its exponent.
    kinds = ["" if " " in each else ' class="whole"' for each in shown]
    return [
        each if each.startswith("<td") else f"<td{kind}>{each}</td>"
        for each, kind in zip(shown, kinds, strict=True)
    ]
