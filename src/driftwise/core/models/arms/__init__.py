"""Counts, sums and weights per arm."""
