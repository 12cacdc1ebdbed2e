"""Logistic regression on weighted rounds."""
