"""The real engine against the emulator, in this process: a cloud, a stack, programs and a client that predicts."""
