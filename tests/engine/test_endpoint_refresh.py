"""An endpoint that its own Deployment changed has not drifted."""

from tests.engine.harness.programs import Serving
from tests.engine.harness.stack import Stack

DEDICATED = Serving(
    endpoint_args={
        "dedicated_endpoint_enabled": True,
        "client_connection_config": {"inference_timeout": "90s"},
        "predict_request_response_logging_config": {"enabled": True, "sampling_rate": 0.1},
    }
)


def test_refresh_after_a_rollout_finds_no_change(stack: Stack) -> None:
    stack.up(DEDICATED)

    stack.refresh("--expect-no-changes")
    stack.unchanged(DEDICATED)
