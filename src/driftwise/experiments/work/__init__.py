"""The work that an experiment asks for: cut into cells, played anywhere, kept on disk."""
