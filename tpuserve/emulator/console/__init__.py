"""The console: one page that shows what the emulator holds and lets faults be switched on, at http://127.0.0.1:PORT/."""
