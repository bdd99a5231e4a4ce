"""What the emulated Vertex AI knows by name, and the stages of a deployment."""

# cloud.google.com page "Deploy a model to Cloud TPU VMs": the machine types with built-in TPU chips, and their number.
TPU_MACHINE_TYPES = {
    "ct6e-standard-1t": 1,
    "ct6e-standard-4t": 4,
    "ct6e-standard-8t": 8,
    "ct5lp-hightpu-1t": 1,
    "ct5lp-hightpu-4t": 4,
    "ct5lp-hightpu-8t": 8,
}
TPU_FAMILY = r"ct\d.*|tpu\d.*"
# assumed: a plain machine type is any that looks like one; Google's list changes and is no part of this emulator
PLAIN_MACHINE_TYPE = r"[a-z][a-z0-9]*-[a-z]+(?:-[a-z0-9]+)*"
DEFAULT_MACHINE_TYPE = "n1-standard-2"  # MachineSpec.machine_type
SINGLE_HOST_TOPOLOGIES = {1: "1x1", 4: "2x2", 8: "2x4"}
# cloud.google.com/kubernetes-engine/docs/concepts/plan-tpus: topologies of several hosts with four chips each, for v5e
# and v6e alike; MachineSpec.tpu_topology: "Corresponds to the TPU topologies available from GKE"
MULTI_HOST_TOPOLOGIES = {4: ("4x4", "4x8", "8x8", "8x16", "16x16")}

# google.cloud.aiplatform.v1.DeploymentStage, in the order its descriptions suggest (assumed)
STAGES = (
    "STARTING_DEPLOYMENT",
    "PREPARING_MODEL",
    "CREATING_SERVING_CLUSTER",
    "ADDING_NODES_TO_CLUSTER",
    "GETTING_CONTAINER_IMAGE",
    "STARTING_MODEL_SERVER",
    "FINISHING_UP",
)
DEPLOYED, FAILED = "SUCCESSFULLY_DEPLOYED", "FAILED_TO_DEPLOY"

# UpdateModelRequest.model, points 4 to 6
MODEL_FIELDS = ("display_name", "description", "labels")
VERSION_FIELDS = ("version_description", "labels")
# Endpoint: what is not Output only, not fixed at creation, and not left to UpdateEndpointLongRunning
ENDPOINT_FIELDS = (
    "display_name",
    "description",
    "labels",
    "traffic_split",
    "predict_request_response_logging_config",
)
# "Output only" in their protos, and names and etags, which are the service's too
MODEL_OUTPUT = (
    "name", "version_id", "version_create_time", "version_update_time", "create_time", "update_time", "deployed_models",
    "etag", "supported_export_formats", "training_pipeline", "supported_deployment_resources_types",
    "supported_input_storage_formats", "supported_output_storage_formats", "model_source_info", "original_model_info",
    "metadata_artifact", "satisfies_pzs", "satisfies_pzi", "checkpoints",
)  # fmt: skip
DEPLOYED_MODEL_OUTPUT = ("model_version_id", "create_time", "private_endpoints", "status")
ENDPOINT_OUTPUT = (
    "name", "deployed_models", "create_time", "update_time", "etag", "dedicated_endpoint_dns",
    "model_deployment_monitoring_job", "satisfies_pzs", "satisfies_pzi",
)  # fmt: skip
# MutateDeployedModelRequest.deployed_model
MUTABLE_FIELDS = (
    "dedicated_resources.min_replica_count",
    "dedicated_resources.max_replica_count",
    "dedicated_resources.required_replica_count",
    "dedicated_resources.autoscaling_metric_specs",
    "disable_container_logging",
)
