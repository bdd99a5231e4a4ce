"""The published wire form of properties, under the name that these tests have for it."""

from tpuserve.testing.properties import SECRET, SIGNATURE, UNKNOWN_VALUE, Secret, from_wire, to_wire

__all__ = ["SECRET", "SIGNATURE", "UNKNOWN_VALUE", "Secret", "from_wire", "to_wire"]
