"""How each answer is printed for people."""
