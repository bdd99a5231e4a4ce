"""The resource types that rules look at: our own, and those of pulumi-gcp, which the pack never imports."""

QUEUED = "tpuserve:tpu:QueuedResource"
MODEL = "tpuserve:vertex:Model"
ENDPOINT = "tpuserve:vertex:Endpoint"
DEPLOYMENT = "tpuserve:vertex:Deployment"

RAW_VM = "gcp:tpu/v2Vm:V2Vm"
RAW_QUEUED = "gcp:tpu/v2QueuedResource:V2QueuedResource"
RAW_ENDPOINT = "gcp:vertex/aiEndpoint:AiEndpoint"
RAW_POOL = "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool"
RAW_GARDEN = "gcp:vertex/aiEndpointWithModelGardenDeployment:AiEndpointWithModelGardenDeployment"
NODE_POOL = "gcp:container/nodePool:NodePool"
