"""Estimators for the compiled rules: one folder per family."""
