"""How fast driftwise is: ratios to a floor, taken in one run on one core, held to a budget.

``python -m benchmarks`` measures, writes BENCHMARKS.md and fails if a ratio is over its budget;
``python -m benchmarks.peers`` measures other packages, each in an environment of its own.
"""

import os

# One core is what is measured. NumPy's BLAS reads this when it is loaded, which is later than here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
