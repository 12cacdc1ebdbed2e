"""The state of an installation, line by line."""

from __future__ import annotations

from typing import Any

from ..output import grid, heading, show

__all__ = ["print_health"]


def print_health(found: dict[str, Any]) -> None:
    """Print what `diagnosis.diagnose` returned."""
    cache, packages = found["cache"], found["packages"]
    rows = [
        ("python", found["python"]),
        ("packages", ", ".join(f"{name} {version}" for name, version in packages.items())),
        ("machine", found["machine"]),
        ("cores", str(found["cores"])),
        ("cache", cache["folder"] or "none: every process compiles anew"),
        ("", f"{cache['files']:,} files, {cache['bytes'] / 1e6:,.1f} MB"),
        ("compiled", ", ".join(cache["compiled"]) or "none yet; try: driftwise warm-up"),
    ]
    features = [(each["extra"], _state(each)) for each in found["features"]]
    show(
        heading(f"driftwise {found['version']}"),
        grid(rows),
        "",
        heading("Features"),
        grid(features),
    )


def _state(feature: dict[str, Any]) -> str:
    if not feature["missing"]:
        return f"{feature['purpose']}: ready"
    return f"{feature['purpose']}: needs {', '.join(feature['missing'])}; {feature['remedy']}"
