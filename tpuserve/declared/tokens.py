"""The resource types that are looked at: our own, and those of pulumi-gcp, which is never imported."""

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
CLUSTER = "gcp:container/cluster:Cluster"
