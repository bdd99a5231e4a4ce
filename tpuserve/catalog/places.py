"""Zones and regions by their names alone."""


def region_of(location: str) -> str:
    """The region of a zone, `us-east5-b` -> `us-east5`; a region is its own."""
    return location.rpartition("-")[0] if location.count("-") > 1 else location
