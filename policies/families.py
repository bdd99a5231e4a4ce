"""Every family of the pack, in the order in which they are shown."""

from . import machine_types, traffic, traffic_private
from .family import Family, StackFamily

FAMILIES: tuple[Family | StackFamily, ...] = (
    machine_types.FAMILY,
    traffic.FAMILY,
    traffic_private.FAMILY,
)
