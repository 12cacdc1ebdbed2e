"""Policies that follow the log of a problem in a process of their own, are scored, and decide nothing."""
