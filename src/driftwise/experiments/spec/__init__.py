"""What an experiment file may say: reading it, checking it, and plain data about it."""
