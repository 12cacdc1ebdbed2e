"""From regrets to statements: all that figures and reports show is computed here."""
