"""One thing that was looked at in a log: what was found, what it means and what to do."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["SEVERITIES", "Finding"]

SEVERITIES = ("error", "warning", "note", "fine")  # worst first


class Finding(NamedTuple):
    """What one check of `Log.soundness` found.

    An error makes estimates from the log wrong, a warning makes them weak or impossible, a note is
    worth knowing, and fine is fine.
    """

    name: str
    severity: str
    says: str  # what was found, with its numbers, in a sentence
    means: str  # why that matters; empty if it is fine
    advice: str  # what to do; empty if it is fine
    numbers: dict[str, Any]  # plain data

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON-ready data."""
        return self._asdict()

    def as_text(self) -> str:
        """Return the finding as lines for a person; what is fine needs no explanation."""
        lines = [f"{self.severity}: {self.says}"]
        if self.severity != "fine":
            lines += [f"  {self.means}", f"  What to do: {self.advice}"]
        return "\n".join(lines)
