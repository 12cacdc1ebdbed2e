"""Records of four rounds, of which one offers a single action."""

__all__ = ["MEANS", "REWARDS", "SETS"]

SETS = [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]
REWARDS = [[0.3, 0.6], [0.5], [0.2, 0.9], [0.4, 0.8]]
MEANS = [[0.3, 0.7], [0.5], [0.3, 0.7], [0.2, 0.7]]
