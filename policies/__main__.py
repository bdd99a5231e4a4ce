"""The policy pack, assembled. Making a `PolicyPack` starts its server and waits, so nothing else does it."""

from pulumi_policy import EnforcementLevel, PolicyPack
from tpuserve.policies import machine_types, parent  # pyright: ignore[reportMissingImports]

if __name__ == "__main__":
    parent.end_with_parent()
    PolicyPack("tpuserve", [*machine_types.POLICIES], enforcement_level=EnforcementLevel.MANDATORY)
