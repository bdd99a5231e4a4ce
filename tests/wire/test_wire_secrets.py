"""A secret environment variable: in the state, in the hash of a version, in messages, and when it changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.wire import programs
from tests.wire.harness import InitFailedError, State, WireError
from tests.wire.programs import MODEL, QUEUED_RESOURCE
from tests.wire.properties import Secret
from tests.wire.stack import Stack, urn_of
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.emulator import Emulator
from tpuserve.provider.model.versions import SECRETS_SINCE

ALIASES = "versionAliases"


def model(secret: Any = "s3cr3t-one", **changes: Any) -> dict[str, Any]:
    return programs.model(**{"containerSpec.env": [{"name": "TOKEN", "value": Secret(secret)}], **changes})


def versions(emulator: Emulator) -> list[dict[str, Any]]:
    return [call["request"]["model"] for call in emulator.control.calls() if call["method"] == "UploadModel"]


async def served_env(stack: Stack, emulator: Emulator) -> Any:
    """The environment that Google keeps of the version in the state; the record of calls has no values."""
    emulator.control.set("returns_container_spec", True)
    provider = stack.wire.provider
    assert provider is not None
    name = stack.states[urn_of(MODEL, "m")].properties["versionName"]
    return (await provider.google.call("GetModel", {"name": name}, programs.LOCATION))["containerSpec"]["env"]


def env(state: State) -> Any:
    return state.properties["containerSpec"]["env"][0]["value"]


async def test_check_returns_it_wrapped(stack: Stack) -> None:
    inputs = await stack.wire.checked(urn_of(MODEL, "m"), model())

    assert inputs["containerSpec"]["env"][0]["value"] == Secret("s3cr3t-one")


async def test_state_holds_it_wrapped(stack: Stack) -> None:
    assert env(await stack.up(MODEL, "m", model())) == Secret("s3cr3t-one")


async def test_state_holds_it_wrapped_after_an_update(stack: Stack) -> None:
    await stack.up(MODEL, "m", model())

    assert env(await stack.up(MODEL, "m", model(description="text"))) == Secret("s3cr3t-one")


async def test_state_holds_it_wrapped_after_a_refresh(stack: Stack) -> None:
    await stack.up(MODEL, "m", model())
    found = await stack.refresh(MODEL, "m")

    assert found is not None
    assert env(found) == Secret("s3cr3t-one")


async def test_partial_state_holds_it_wrapped(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("MergeVersionAliases", "INTERNAL", "broken", times=-1)

    with pytest.raises(InitFailedError) as failed:
        await stack.up(MODEL, "m", model(versionAliases=["champion"]))

    assert (env(failed.value.state), failed.value.state.inputs["containerSpec"]["env"][0]["value"]) == (
        Secret("s3cr3t-one"),
        Secret("s3cr3t-one"),
    )


async def test_unknown_secret_stays_both(stack: Stack) -> None:
    inputs = await stack.wire.checked(urn_of(MODEL, "m"), model(UNKNOWN))

    assert inputs["containerSpec"]["env"][0]["value"] == Secret(UNKNOWN)


async def test_google_gets_it_plain(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())

    assert await served_env(stack, emulator) == [{"name": "TOKEN", "value": "s3cr3t-one"}]


async def test_record_of_calls_does_not_have_it(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())

    assert versions(emulator)[0]["containerSpec"]["env"] == [{"name": "TOKEN", "value": "[redacted]"}]


async def test_it_does_not_enter_the_hash(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model("s3cr3t-one"))
    await stack.up(MODEL, "m", model("s3cr3t-two"))

    first, second = [version[ALIASES] for version in versions(emulator)]
    assert first == second


async def test_plain_value_enters_the_hash(stack: Stack, emulator: Emulator) -> None:
    for value in ("one", "two"):
        await stack.up(MODEL, "m", programs.model(**{"containerSpec.env": [{"name": "A", "value": value}]}))

    first, second = [version[ALIASES] for version in versions(emulator)]
    assert first != second


async def test_another_secret_is_another_version(stack: Stack) -> None:
    await stack.up(MODEL, "m", model("s3cr3t-one"))

    second = await stack.up(MODEL, "m", model("s3cr3t-two"))

    assert second.properties["versionId"] == "2"


async def test_another_image_and_back_uploads_nothing_more(stack: Stack, emulator: Emulator) -> None:
    first = await stack.up(MODEL, "m", model())
    await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    again = await stack.up(MODEL, "m", model())

    assert (again.properties["versionId"], len(versions(emulator))) == (first.properties["versionId"], 2)


IMAGE_2 = {"containerSpec.imageUri": "registry/digits:2"}


async def test_image_of_before_with_a_secret_that_changed_since_is_a_new_version(
    stack: Stack, emulator: Emulator
) -> None:
    await stack.up(MODEL, "m", model("s3cr3t-one"))
    await stack.up(MODEL, "m", model("s3cr3t-two", **IMAGE_2))

    await stack.up(MODEL, "m", model("s3cr3t-two"))

    assert await served_env(stack, emulator) == [{"name": "TOKEN", "value": "s3cr3t-two"}]


async def test_image_and_secret_of_before_are_found_where_google_returns_the_container(
    stack: Stack, emulator: Emulator
) -> None:
    emulator.control.set("returns_container_spec", True)
    first = await stack.up(MODEL, "m", model("s3cr3t-one"))
    await stack.up(MODEL, "m", model("s3cr3t-two", **IMAGE_2))

    again = await stack.up(MODEL, "m", model("s3cr3t-one"))

    assert again.properties["versionId"] == first.properties["versionId"]


async def test_what_is_known_of_secrets_outlives_a_refresh(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())
    await stack.up(MODEL, "m", model(**IMAGE_2))
    await stack.refresh(MODEL, "m")

    await stack.up(MODEL, "m", model())

    assert len(versions(emulator)) == 2


async def test_killed_create_is_not_taken_for_one_of_another_secret(stack: Stack, emulator: Emulator) -> None:
    emulator.control.set("returns_container_spec", True)
    await stack.up(MODEL, "m", model("s3cr3t-one"))
    del stack.states[urn_of(MODEL, "m")]  # as after a kill

    await stack.up(MODEL, "m", model("s3cr3t-two"))

    assert await served_env(stack, emulator) == [{"name": "TOKEN", "value": "s3cr3t-two"}]


@pytest.mark.parametrize("returned", [False, True])
async def test_killed_create_with_a_secret_is_found_again(stack: Stack, emulator: Emulator, returned: bool) -> None:
    emulator.control.set("returns_container_spec", returned)
    await stack.up(MODEL, "m", model())
    del stack.states[urn_of(MODEL, "m")]  # as after a kill

    await stack.up(MODEL, "m", model())

    assert len(versions(emulator)) == 1


async def test_value_that_becomes_secret_uploads_nothing(stack: Stack, emulator: Emulator) -> None:
    plain = [{"name": "TOKEN", "value": "s3cr3t-one"}]
    await stack.up(MODEL, "m", programs.model(**{"containerSpec.env": plain}))

    await stack.up(MODEL, "m", model("s3cr3t-one", description="text"))

    assert len(versions(emulator)) == 1


async def test_version_of_before_is_not_taken_where_nothing_is_known_of_its_secret(
    stack: Stack, emulator: Emulator
) -> None:
    """While the value was no secret nobody wrote down since when it is the one."""
    await stack.up(MODEL, "m", model())
    plain = [{"name": "TOKEN", "value": "s3cr3t-one"}]
    await stack.up(MODEL, "m", model(**IMAGE_2))
    await stack.up(MODEL, "m", programs.model(**{"containerSpec.env": plain, "description": "text", **IMAGE_2}))

    await stack.up(MODEL, "m", model())

    assert len(versions(emulator)) == 3


async def test_what_has_no_secret_says_nothing_of_secrets(stack: Stack) -> None:
    state = await stack.up(MODEL, "m", programs.model())

    assert SECRETS_SINCE not in state.properties


async def test_version_of_before_is_not_taken_for_another_secret_after_a_failure(
    stack: Stack, emulator: Emulator
) -> None:
    """The update failed before it took the alias from the version with the old secret."""
    await stack.up(MODEL, "m", model("s3cr3t-one"))
    emulator.control.fail("ListModelVersions", "PERMISSION_DENIED", "no")
    with pytest.raises(InitFailedError):
        await stack.up(MODEL, "m", model("s3cr3t-two"))

    await stack.up(MODEL, "m", model("s3cr3t-two"))

    assert await served_env(stack, emulator) == [{"name": "TOKEN", "value": "s3cr3t-two"}]


async def test_failed_upload_of_another_secret_is_made_good_by_the_next_run(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model("s3cr3t-one"))
    emulator.control.fail_operation("upload_model", "INTERNAL", "broken", times=3)
    with pytest.raises(InitFailedError):
        await stack.up(MODEL, "m", model("s3cr3t-two"))

    await stack.up(MODEL, "m", model("s3cr3t-two"))

    served = emulator.control.objects()["models"][0]
    assert await served_env(stack, emulator) == [{"name": "TOKEN", "value": "s3cr3t-two"}]
    assert served["name"].split("@")[0] == stack.states[urn_of(MODEL, "m")].properties["name"]


async def test_failed_update_says_that_no_version_is_of_the_new_inputs(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())
    emulator.control.fail("UploadModel", "PERMISSION_DENIED", "no")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(MODEL, "m", model(**{"containerSpec.imageUri": "registry/digits:2"}))

    assert failed.value.state.properties["versionId"] == ""


async def test_message_of_google_does_not_show_it(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("UploadModel", "INVALID_ARGUMENT", "env TOKEN=s3cr3t-one is bad")

    with pytest.raises(WireError, match=r"env TOKEN=\[secret\] is bad"):
        await stack.up(MODEL, "m", model())


async def test_fault_of_check_does_not_show_it(stack: Stack) -> None:
    answer = await stack.wire.check(
        urn_of(MODEL, "m"), programs.model(**{"containerSpec.deploymentTimeout": Secret("s3cr3t-one")})
    )

    assert answer.failures["containerSpec.deploymentTimeout"].startswith("[secret] is not a duration")


async def test_diff_does_not_show_it(stack: Stack) -> None:
    state = await stack.up(MODEL, "m", model())
    urn = urn_of(MODEL, "m")

    diff = await stack.wire.diff(urn, state, await stack.wire.checked(urn, model("s3cr3t-two"), state))

    assert list(diff.detailedDiff) == ["containerSpec.env[0].value"]
    assert "s3cr3t" not in json.dumps(str(diff))


# --- a secret in what forces a replacement -----------------------------------------------------------------------


def collection(secret: str) -> dict[str, Any]:
    return programs.collection(**{"tpu.nodeSpec.0.node.metadata": {"token": Secret(secret)}})


async def test_it_does_not_enter_an_id(stack: Stack) -> None:
    urn = urn_of(QUEUED_RESOURCE, "r")
    first, second = [await stack.wire.checked(urn, collection(secret)) for secret in ("s3cr3t-one", "s3cr3t-two")]

    assert first["queuedResourceId"] == second["queuedResourceId"]


async def test_another_secret_asks_for_new_slices_before_the_old_ones_go(stack: Stack) -> None:
    first = await stack.up(QUEUED_RESOURCE, "r", collection("s3cr3t-one"))

    second = await stack.up(QUEUED_RESOURCE, "r", collection("s3cr3t-two"))

    assert (second.id != first.id, stack.steps) == (True, ["create", "create", "delete-replaced"])


async def test_replacement_for_another_secret_is_found_again_after_a_kill(stack: Stack, emulator: Emulator) -> None:
    old = await stack.up(QUEUED_RESOURCE, "r", collection("s3cr3t-one"))
    await stack.up(QUEUED_RESOURCE, "r", collection("s3cr3t-two"))
    stack.states[urn_of(QUEUED_RESOURCE, "r")] = old
    emulator.control.clear_calls()

    await stack.up(QUEUED_RESOURCE, "r", collection("s3cr3t-two"))

    assert "CreateQueuedResource" not in [call["method"] for call in emulator.control.calls()]


# --- a secret in the words of others -----------------------------------------------------------------------------

LOG = "Model server exited unexpectedly. Last lines of its log: TOKEN=s3cr3t-one"


async def test_secret_of_a_model_is_not_shown_by_its_deployment(stack: Stack, emulator: Emulator) -> None:
    """A container tells its environment, which is in the inputs of another resource."""
    made = await stack.up(MODEL, "m", model())
    place = await stack.up(programs.ENDPOINT, "e", programs.endpoint())
    emulator.control.fail_operation("deploy_model", "FAILED_PRECONDITION", LOG)
    args = programs.deployment(place.properties["name"], made.properties["versionName"])

    with pytest.raises(InitFailedError, match=r"TOKEN=\[secret\]") as failed:
        await stack.up(programs.DEPLOYMENT, "d", args)

    assert "s3cr3t" not in json.dumps(failed.value.state.properties)


async def test_cause_in_the_outputs_does_not_show_it(stack: Stack, emulator: Emulator) -> None:
    await stack.up(MODEL, "m", model())
    emulator.control.fail_operation("qr_waiting", "INTERNAL", "broken by s3cr3t-one")

    with pytest.raises(InitFailedError) as failed:
        await stack.up(QUEUED_RESOURCE, "r", programs.collection())

    assert failed.value.state.properties["state"]["failedData"]["error"]["message"] == "broken by [secret]"


@pytest.mark.parametrize("method", ["GetModel", "DeleteModel"])
async def test_error_of_another_request_does_not_show_it(stack: Stack, emulator: Emulator, method: str) -> None:
    """Read and Delete have it in the state alone."""
    await stack.up(MODEL, "m", model())
    stack.new_run()
    emulator.control.fail(method, "INTERNAL", "TOKEN=s3cr3t-one", times=-1)

    with pytest.raises(WireError, match=r"TOKEN=\[secret\]"):
        await (stack.refresh(MODEL, "m") if method == "GetModel" else stack.remove(MODEL, "m"))


async def test_one_line_of_a_long_secret_is_not_shown(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("UploadModel", "INVALID_ARGUMENT", "cannot read: second-line-of-it")

    with pytest.raises(WireError, match=r"cannot read: \[secret\]"):
        await stack.up(MODEL, "m", model("first-line-of-it\nsecond-line-of-it\n"))


async def test_secret_in_json_is_not_shown(stack: Stack, emulator: Emulator) -> None:
    emulator.control.fail("UploadModel", "INVALID_ARGUMENT", json.dumps({"TOKEN": 's3cr3t"one'}))

    with pytest.raises(WireError, match=r'\{"TOKEN": "\[secret\]"\}'):
        await stack.up(MODEL, "m", model('s3cr3t"one'))


async def test_credentials_of_the_provider_are_not_shown(stack: Stack, emulator: Emulator) -> None:
    key = json.dumps({"type": "service_account", "private_key": "s3cr3t-key"})
    await stack.wire.configure(credentials=key, accessToken="s3cr3t-token")
    emulator.control.fail("UploadModel", "INVALID_ARGUMENT", "bad s3cr3t-key for s3cr3t-token")

    with pytest.raises(WireError, match=r"bad \[secret\] for \[secret\]"):
        await stack.up(MODEL, "m", programs.model())
