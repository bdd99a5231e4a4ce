"""Stack `local` on this machine: the emulator, the engine's run, and the report of what really answers."""
