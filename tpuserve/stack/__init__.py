"""The configuration of a stack: read, checked as a whole, and turned into the arguments of components."""
