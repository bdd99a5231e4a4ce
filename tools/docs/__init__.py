"""Pages that are made from the project itself: `python -m tools.docs resources` and `python -m tools.docs up`."""
