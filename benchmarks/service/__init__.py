"""The decision service under load and under attack: ratios of speed, and kills that must lose nothing."""
