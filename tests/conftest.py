"""What all tests share: where machine code is kept, who waits for it, and which worker runs what."""

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
    """Give all tests of a file to one worker, unless they say otherwise.

    They compile the same policies; two workers would compile each of them twice.
    """
    # What compiles every policy goes first: the others then find machine code on disk.
    items.sort(key=lambda item: item.path.name != "test_checks.py")
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path)))
