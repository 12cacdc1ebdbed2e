"""How a policy forgets, and how it chooses: the parts that policies inherit.

A linear policy is an estimator (`Everything`, `Windowed`, `Discounted`, `RestartingEvery`,
`RestartingAt`) times a rule (`Optimistic`, `Sampled`, `RandomStrength`). One that plays arms is what
counts (`AllRewards`, `RecentRewards`, `FadingRewards`) times how optimistic it is (`Ranged`) or what
it draws from (`BetaArms`, `NormalArms`), or draws them by their chances (`DrawnByChance`).
"""

from ...core.base.lazy_names import attach

# Loaded on first use, as policies are.
__getattr__, __dir__, __all__ = attach(__name__, __file__)
