"""Hypothesis without a deadline: on a busy machine an example takes as long as it takes."""

from hypothesis import settings

settings.register_profile("unit", deadline=None)
settings.load_profile("unit")
