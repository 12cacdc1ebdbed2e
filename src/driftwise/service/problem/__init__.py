"""The problem file: what is decided, by which policy, and how rewards come."""
