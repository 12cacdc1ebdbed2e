"""What a policy believes, and why an action won, as plain data and in words."""
