"""Quota and capacity: what a project may have, what Google has left, and who is charged."""
