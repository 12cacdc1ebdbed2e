"""What all tests share: where machine code is kept."""

import os
from pathlib import Path

# Set before numba is imported. Kept between runs, shared by the workers of one run, and apart
# from the user's own.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".machine_code_cache"))
