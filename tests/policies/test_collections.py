"""Family collections: several slices in one request are a collection."""

from typing import Any

import pytest
from pulumi_policy.proxy import UNKNOWN_NUMBER_VALUE, UNKNOWN_OBJECT_VALUE, UNKNOWN_STRING_VALUE
from tpuserve.policies.collection import FAMILY  # pyright: ignore[reportMissingImports]

from tests.policies.packs import violations
from tpuserve.declared.tokens import QUEUED

RULE, TWIN = FAMILY.policies()
COLLECTION = {"nodeCount": 3, "workloadType": "AVAILABILITY_OPTIMIZED"}
SPEC = "tpu.nodeSpec[0]"


def request(many: Any = None, accelerator: Any = "v6e-8") -> dict[str, Any]:
    """Inputs of a request for several slices."""
    return {"tpu": {"nodeSpec": [{"multiNodeParams": many or COLLECTION, "node": {"acceleratorType": accelerator}}]}}


@pytest.mark.parametrize(
    "given",
    [
        request(),
        request(COLLECTION | {"workloadType": "THROUGHPUT_OPTIMIZED"}, "v5litepod-16"),
        request({"nodeCount": 2}, "v5litepod-16"),
        {"tpu": {"nodeSpec": [{"nodeId": "one", "node": {"acceleratorType": "v6e-8"}}]}},
    ],
)
def test_a_request_that_is_served_as_one_passes(given: dict[str, Any]) -> None:
    assert violations(RULE, QUEUED, given) + violations(TWIN, QUEUED, given) == []


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (request(COLLECTION | {"nodeCount": 1}), f"{SPEC}.multiNodeParams.nodeCount"),
        (request(accelerator="v5litepod-16"), f"{SPEC}.node.acceleratorType"),
        (request({"nodeCount": 3}), f"{SPEC}.multiNodeParams.workloadType"),
        (request(COLLECTION | {"workloadType": "FAST"}), f"{SPEC}.multiNodeParams.workloadType"),
    ],
)
def test_a_request_that_is_no_collection_is_refused(given: dict[str, Any], path: str) -> None:
    assert [message.partition(": ")[0] for message in violations(RULE, QUEUED, given)] == [path]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        (request(COLLECTION | {"nodeCount": UNKNOWN_NUMBER_VALUE}), f"{SPEC}.multiNodeParams.nodeCount"),
        (request(COLLECTION | {"workloadType": UNKNOWN_STRING_VALUE}), f"{SPEC}.multiNodeParams.workloadType"),
        (request(accelerator=UNKNOWN_STRING_VALUE), f"{SPEC}.node.acceleratorType"),
        (request(UNKNOWN_OBJECT_VALUE), f"{SPEC}.multiNodeParams"),
        ({"tpu": UNKNOWN_OBJECT_VALUE}, "tpu"),
    ],
)
def test_an_unknown_is_named_by_the_twin_alone(given: dict[str, Any], path: str) -> None:
    [message] = violations(TWIN, QUEUED, given)

    assert (violations(RULE, QUEUED, given), message.partition(" ")[0]) == ([], path)
