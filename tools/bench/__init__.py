"""`make bench`: this provider against one that does nothing, on the same engine, with the same program, in turn."""
