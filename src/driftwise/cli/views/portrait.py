"""One policy or one world in full: its card, its settings, and for a world what it really does."""

from __future__ import annotations

from typing import Any

from ..output import grid, heading, paragraph, plain_number, show
from .catalogue import POLICY_LABELS, WORLD_LABELS, card_of

__all__ = ["print_policy", "print_world"]


def print_policy(row: dict[str, Any]) -> None:
    """Print all about a policy."""
    _print_card(row, {name: POLICY_LABELS[name] for name in POLICY_LABELS if name != "settings"})


def print_world(row: dict[str, Any]) -> None:
    """Print all about a world, and about one path of it if it could be made."""
    _print_card(row, {name: WORLD_LABELS[name] for name in WORLD_LABELS if name != "settings"})
    show("")
    if row["needs"]:
        show(paragraph(row["needs"]))
        return
    show(heading(f"As made here, with seed {row['seed']}"), grid(_facts(row)))
    if row["picture"]:
        show("", paragraph(f"Picture: {row['picture']}"))


def _print_card(row: dict[str, Any], labels: dict[str, str]) -> None:
    show(*card_of(row, labels), "", heading("Settings"), grid(_settings(row)))


def _settings(row: dict[str, Any]) -> list[tuple[str, str]]:
    lines = []
    for each in row["settings"]:
        default = "required" if each["required"] else f"{each['default']} by default"
        if not each["required"] and each["default"] is None:
            default = "optional"
        lines.append((each["name"], f"{each['meaning']} ({default})".strip()))
    return lines


def _facts(row: dict[str, Any]) -> list[tuple[str, str]]:
    made = row["made"]
    moved = made["realised_variation"]
    parameter = "unknown" if moved["l2"] is None else f"{plain_number(moved['l2'])} (l2 steps)"
    arms = (
        "" if moved["arms"] is None else f"; the arm that moves most, {plain_number(moved['arms'])}"
    )
    n, horizon = made["number_of_changes"], made["horizon"]
    share = f" of {plain_number(horizon - 1)}" if n else ""
    return [
        ("rounds", plain_number(horizon)),
        ("actions", _offer(made)),
        ("dimension", plain_number(made["dimension"])),
        ("noise", plain_number(made["noise"])),
        ("realised variation", f"{parameter}{arms}"),
        ("rounds of change", f"{plain_number(n)}{share}"),
        ("Assumption 1", "holds" if made["assumption_one"] else "fails"),
        ("set to", ", ".join(f"{name} {value}" for name, value in made["settings"].items())),
    ]


def _offer(made: dict[str, Any]) -> str:
    if made["is_ball"]:
        return "every point of the unit ball"
    n = plain_number(made["n_arms"])
    return (
        f"{n}, the same in every round"
        if made["is_fixed"]
        else f"up to {n}, different in every round"
    )
