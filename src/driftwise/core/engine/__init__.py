"""The loop of every experiment, and the agent that a program holds."""
