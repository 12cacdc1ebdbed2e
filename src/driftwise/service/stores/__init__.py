"""Where the log of a problem is kept: in memory, in SQLite, or in PostgreSQL."""
