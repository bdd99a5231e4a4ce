"""What one environment has around its stacks, on the network and with the images of other projects: the outputs are an
`EnvironmentContract`.
"""

import pulumi
from tpuserve.components import ServingEnvironment  # pyright: ignore[reportMissingImports]

from tpuserve.stack.contracts import NetworkContract, RegistryContract, outputs_of
from tpuserve.stack.references import read_contract

config = pulumi.Config("tpu-serving")
network = read_contract(NetworkContract, config.require("network"))
images = read_contract(RegistryContract, config.require("registry"))
args = config.require_object("environment")
made = ServingEnvironment(args["environment"], {**args, "repository": outputs_of(images)})

for name, value in {**made.outputs, **outputs_of(network)}.items():
    pulumi.export(name, value)
percent = config.get_int("requestLogPercent")
pulumi.export("requestLogPercent", 10 if percent is None else percent)
