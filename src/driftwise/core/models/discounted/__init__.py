"""Ridge regression in which every round counts for less than the one after it."""
