"""Examples: one folder a use, each with its own README."""
