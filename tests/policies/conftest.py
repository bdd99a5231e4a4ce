"""Property tests are judged by their facts: a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("policies", deadline=None)
settings.load_profile("policies")
