"""How a linear policy forgets, and how it chooses: the parts that policies inherit.

A linear policy is an estimator (`Everything`, `Windowed`, `Discounted`, `RestartingEvery`,
`RestartingAt`) times a rule (`Optimistic`, `Sampled`, `RandomStrength`).
"""
