"""What a user of google-cloud-aiplatform writes: `python sdk_program.py grpc|rest ENDPOINT`. Prints what came of it."""

import json
import sys
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud import aiplatform

TENSORFLOW = "us-docker.pkg.dev/vertex-ai-restricted/prediction/tf_opt-tpu.2-15:latest"
PYTORCH = "us-docker.pkg.dev/vertex-ai/prediction/pytorch-tpu.2-1:latest"
PARTITION = "--converter_options_string='tpu_functions { function_alias: \"partitioning function name\" }'"
# page "Deploy a model to Cloud TPU VMs": the four uploads
UPLOADS: dict[str, dict[str, Any]] = {
    "manual": {
        "serving_container_image_uri": TENSORFLOW,
        "serving_container_args": ["--saved_model_tags=serve,tpu", "--disable_optimizer=true"],
    },
    "automatic": {"serving_container_image_uri": TENSORFLOW, "serving_container_args": []},
    "partitioned": {"serving_container_image_uri": TENSORFLOW, "serving_container_args": [PARTITION]},
    "pytorch": {
        "serving_container_image_uri": PYTORCH,
        "serving_container_args": [],
        "serving_container_predict_route": "/predictions/model",
        "serving_container_health_route": "/ping",
        "serving_container_ports": [8080],
    },
}


def main(transport: str, api_endpoint: str) -> dict[str, Any]:
    """Uploads, deploys, shifts traffic, predicts, and takes everything away again."""
    aiplatform.init(
        project="tpuserve-local",
        location="us-east5",
        api_endpoint=api_endpoint,
        api_transport=transport,
        credentials=AnonymousCredentials(),
    )
    told: dict[str, Any] = {}
    uploaded: dict[str, Any] = {
        name: aiplatform.Model.upload(display_name=name, artifact_uri="gs://model-artifact-uri", **more)
        for name, more in UPLOADS.items()
    }
    told["uploaded"] = {name: [model.version_id, model.display_name] for name, model in uploaded.items()}
    endpoint = aiplatform.Endpoint.create(display_name="My endpoint")
    first = uploaded["manual"].deploy(
        endpoint=endpoint,
        deployed_model_display_name="My deployed model",
        machine_type="ct5lp-hightpu-1t",
        traffic_percentage=100,
        min_replica_count=1,
        sync=True,
    )
    (live,) = first.list_models()
    told["deployed"] = [live.display_name, live.dedicated_resources.machine_spec.machine_type]
    told["prediction"] = first.predict(instances=[[1.0]]).predictions
    endpoint.deploy(
        uploaded["pytorch"],
        machine_type="ct6e-standard-1t",
        min_replica_count=1,
        traffic_split={"0": 10, live.id: 90},
    )
    told["split"] = sorted(endpoint.traffic_split.values())
    told["served"] = sorted({endpoint.predict(instances=[1]).deployed_model_id == live.id for _ in range(60)})
    told["found"] = len(aiplatform.Endpoint.list(filter='display_name="My endpoint"'))
    endpoint.undeploy_all()
    told["left"] = endpoint.list_models()
    endpoint.deploy(uploaded["automatic"], machine_type="ct6e-standard-1t", min_replica_count=1)
    endpoint.delete(force=True)
    for model in uploaded.values():
        model.delete()
    told["gone"] = [aiplatform.Endpoint.list(), aiplatform.Model.list()]
    return told


if __name__ == "__main__":
    sys.stderr.write(json.dumps(main(*sys.argv[1:])))
