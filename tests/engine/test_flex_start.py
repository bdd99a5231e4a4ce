"""Flex-start under the real engine: its plugin process asks over REST beside gRPC."""

from tests.engine.harness.cloud import Cloud
from tests.engine.harness.programs import Collection
from tests.engine.harness.stack import Stack

FLEX = {"provisioning_model": "flex-start", "run_duration": {"max_run_duration": "3600s"}}
LONGER = {**FLEX, "run_duration": {"max_run_duration": "7200s"}}


def test_flex_start_is_asked_for_kept_and_given_up_by_name(stack: Stack, cloud: Cloud) -> None:
    stack.up(Collection(args=FLEX))
    (found,) = cloud.objects("queuedResources")
    assert (found["state"], found["provisioningModel"]) == ("ACTIVE", "FLEX_START")
    assert stack.resource("c")["inputs"]["provisioningModel"] == "FLEX_START"

    preview = stack.preview(Collection(args=LONGER))
    assert preview.diff("c")["runDuration.maxRunDuration"] == "update-replace"

    with cloud.recorded() as calls:
        stack.up(Collection(args=FLEX), "--expect-no-changes")
    assert calls.changing == []
