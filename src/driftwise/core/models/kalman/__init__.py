"""Kalman filters side by side, and which of them to believe."""
