"""Where the log of a problem is kept: in memory, or in SQLite."""
