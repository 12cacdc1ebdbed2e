"""Who does the work: engines for many tasks at once, and how far they have come."""
