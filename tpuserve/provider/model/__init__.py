"""Models: their life, their versions, aliases that move, versions that go."""
