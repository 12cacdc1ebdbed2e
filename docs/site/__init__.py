"""The site: pages written by hand, pages generated from the code, one build without a network."""
