"""The policy pack, assembled. Making a `PolicyPack` starts its server and waits, so nothing else does it."""

from pulumi_policy import EnforcementLevel, PolicyPack
from tpuserve.policies import families, parent  # pyright: ignore[reportMissingImports]

if __name__ == "__main__":
    parent.end_with_parent()
    policies = [policy for family in families.FAMILIES for policy in family.policies()]
    PolicyPack("tpuserve", policies, enforcement_level=EnforcementLevel.MANDATORY)
