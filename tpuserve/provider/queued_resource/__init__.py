"""Queued resources: their life, and how Google's answer is shown."""
