"""Playing an experiment anywhere, and keeping every number."""
