"""The report of a run: one HTML page that opens anywhere, offline."""

from .writing import write_report

__all__ = ["write_report"]
