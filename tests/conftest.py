"""What all tests share: where machine code is kept, who waits for it, and what is run first."""

import os
from pathlib import Path

import pytest

# Set before numba is imported. Kept between runs, shared by the workers of one run, and apart
# from the user's own.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".machine_code_cache"))
# What a test calls compiled is compiled; `test_background.py` looks at first use.
os.environ.setdefault("DRIFTWISE_COMPILE", "wait")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what compiles every policy: the others then find machine code on disk."""
    items.sort(key=lambda item: item.path.name != "test_checks.py")
