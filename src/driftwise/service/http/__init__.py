"""HTTP: a hot lane for decisions and rewards, Starlette for the rest, one table of endpoints."""
