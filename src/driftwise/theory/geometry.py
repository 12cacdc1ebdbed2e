"""The two kinds of decision sets that the tuning formulas tell apart."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["GEOMETRIES", "Geometry"]

# "orthogonal": every action is a multiple of one vector of a fixed orthonormal basis (the paper's
# Assumption 1; K-armed bandits are the standard case). "general": no such basis, and then the
# paper's Lemma 1 is false and longer windows cost more than the paper says.
Geometry = Literal["orthogonal", "general"]

GEOMETRIES: tuple[Geometry, ...] = get_args(Geometry)  # all that `Geometry` may be
