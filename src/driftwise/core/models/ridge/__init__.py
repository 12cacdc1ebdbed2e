"""Ridge regression that takes observations in and out, in several layouts with one interface."""
