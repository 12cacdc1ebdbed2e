"""The pages of the site, and `docs.site`, which builds it."""
