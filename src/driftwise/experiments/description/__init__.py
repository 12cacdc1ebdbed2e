"""An experiment as a TOML file: reading it, checking it, and building what it describes."""
