"""Worlds and policies, built from names and settings and tuned with what a world tells."""
