"""The network of the slices, in a project of its own: its outputs are a `NetworkContract`."""

import pulumi
from tpuserve.components import HostNetwork  # pyright: ignore[reportMissingImports]

made = HostNetwork("shared", pulumi.Config("tpu-network").require_object("network"))

pulumi.export("network", made.network_name)
pulumi.export("subnetwork", made.subnetwork_name)
