"""What the engine tells of a preview or an update while it runs."""
