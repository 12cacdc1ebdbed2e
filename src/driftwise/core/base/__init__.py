"""Array types, checks of what comes in, files that are complete or absent, cards, settings."""
