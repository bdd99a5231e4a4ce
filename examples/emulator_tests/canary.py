"""A script of the kind that teams keep beside their stacks: it gives a share of an endpoint's traffic to one model."""

from google.api_core import exceptions, retry
from google.cloud.aiplatform_v1 import EndpointServiceClient

# what may pass by itself; a refusal is not among it
PATIENT = retry.Retry(retry.if_exception_type(exceptions.ServiceUnavailable), initial=0.01, maximum=0.1, timeout=30)


def give(endpoints: EndpointServiceClient, endpoint: str, deployed_model: str, percent: int) -> dict[str, int]:
    """The split after it: `percent` to this deployed model, the rest to the others as they shared it before."""
    found = endpoints.get_endpoint(name=endpoint, retry=PATIENT)
    others = {key: share for key, share in found.traffic_split.items() if key != deployed_model}
    whole = sum(others.values())
    split = {key: round(share * (100 - percent) / whole) for key, share in others.items()} if whole else {}
    split[deployed_model] = 100 - sum(split.values())
    changed = {"name": endpoint, "traffic_split": split, "etag": found.etag}
    endpoints.update_endpoint(endpoint=changed, update_mask={"paths": ["traffic_split"]}, retry=PATIENT)  # type: ignore[arg-type]
    return split
