"""Sums, factors and triangles over plain arrays, compiled; no policy, no model."""
