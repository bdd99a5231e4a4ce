"""Every family of the pack, in the order in which they are shown."""

from .family import Family, StackFamily
from .machine_types import FAMILY as MACHINE_TYPES

FAMILIES: tuple[Family | StackFamily, ...] = (MACHINE_TYPES,)
