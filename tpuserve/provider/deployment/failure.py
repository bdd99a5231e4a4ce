"""Why a deployment failed, in a user's words: the stage, Google's reason, the container's log, quota and strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tpuserve.catalog.machines import chips
from tpuserve.google import CloudError
from tpuserve.provider import errors
from tpuserve.provider.deployment.deployed_model import Wanted, chips_of

# google.cloud.aiplatform.v1.DeploymentStage
STAGES = {
    "STARTING_DEPLOYMENT": "starting",
    "PREPARING_MODEL": "preparing the model",
    "CREATING_SERVING_CLUSTER": "creating machines",
    "ADDING_NODES_TO_CLUSTER": "adding machines",
    "GETTING_CONTAINER_IMAGE": "getting the container image",
    "STARTING_MODEL_SERVER": "starting the model server",
    "FINISHING_UP": "finishing",
    "DEPLOYMENT_TERMINATED": "ended",
    "SUCCESSFULLY_DEPLOYED": "deployed",
    "FAILED_TO_DEPLOY": "failed",
}
ENDED = frozenset({"DEPLOYMENT_TERMINATED", "SUCCESSFULLY_DEPLOYED", "FAILED_TO_DEPLOY"})


@dataclass(slots=True)
class Stages:
    """The stages that one deployment went through, as far as they were seen."""

    name: str
    last: str = field(default="")
    """The last one seen that is not an end; empty before any was."""

    def describe(self, metadata: Mapping[str, Any]) -> str:
        """The line on the screen for the metadata of the operation."""
        stage = metadata.get("deploymentStage", "")
        self.last = stage if stage and stage not in ENDED else self.last
        return f"{self.name}: {words(stage) or 'deploying'}"


def words(stage: str) -> str:
    """A deployment stage for people; one that is not known as Google spells it, in small letters."""
    return STAGES.get(stage, stage.lower().replace("_", " "))


def explain(wanted: Wanted, error: CloudError, stages: Stages, endpoint: str, held: int) -> str:
    """What was asked, at which stage it ended, Google's reason, and what to do.

    `held` are the chips of what this Deployment runs on the endpoint.
    """
    told = [errors.explain(f"deploying {wanted.name} failed", error)]
    if stages.last:
        told.append(f"Last stage seen: {words(stages.last)}")
    if is_exhausted(error):
        told.append(_quota(wanted, held))
    elif stages.last:
        told.append(f"The container's log, in Cloud Logging: {log_query(endpoint)}")
    return ". ".join(part.rstrip(".") for part in told)


def is_exhausted(error: CloudError) -> bool:
    """Whether quota or machines are missing, and not only patience."""
    kind = errors.kind_of(error)
    return kind is not None and kind.name in ("quota", "capacity")


def _quota(wanted: Wanted, held: int) -> str:
    need = chips_of(wanted.inputs)
    asked = f"{wanted.name} needs {chips(need)} (replicas at most times chips of a replica)" if need else ""
    has = f"what this Deployment runs there holds {chips(held)}; how many are free beside it is not known here"
    if wanted.undeploys_first:
        way = "strategy UNDEPLOY_FIRST has already undeployed what it could"
    else:
        way = (
            "strategy BESIDE needs them beside what runs: UNDEPLOY_FIRST frees the variant's own first (for the only "
            "one that serves an outage, which allowOutage agrees to)"
        )
    return "; ".join(filter(None, [asked, has, way]))


def log_query(endpoint: str) -> str:
    """The Logs Explorer query of an endpoint's containers.

    Source: the monitored resource aiplatform.googleapis.com/Endpoint and its labels (cloud.google.com/logging/docs,
    "Monitored resources"); cloud.google.com/vertex-ai/docs/predictions/online-prediction-logging.
    """
    _, _, _, location, _, key = endpoint.split("/")
    labels = f'resource.labels.endpoint_id="{key}" AND resource.labels.location="{location}"'
    return f'resource.type="aiplatform.googleapis.com/Endpoint" AND {labels}'
