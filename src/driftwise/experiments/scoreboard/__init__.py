"""How far every policy is from the best window in hindsight, over many kinds of drift."""
