"""Endpoints: their life, what is deployed on them as it is read, the calls that change it."""
