"""The command `driftwise`, also where what it needs is not installed."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from .cli import run

        return run()
    except ModuleNotFoundError as error:
        if (error.name or "driftwise").partition(".")[0] == "driftwise":
            raise
        print(
            f"Error: this needs {error.name}, which is not installed: "
            "pip install 'driftwise[experiments]'",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
