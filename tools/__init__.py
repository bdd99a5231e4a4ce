"""What `make` runs: the environment, the engine, and the stack on this machine."""
