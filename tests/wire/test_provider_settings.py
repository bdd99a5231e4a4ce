"""CheckConfig, DiffConfig and Configure: every fault at once, secrets that stay secret, an environment that counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from tests.wire.harness import Wire
from tests.wire.properties import Secret, from_wire, to_wire
from tpuserve.catalog.faults import UNKNOWN

CANARY = "c4n4ry-0123456789"
KEY = json.dumps({"type": "service_account", "private_key": CANARY})


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("project", "Not Valid", "'Not Valid' is not a valid project"),
        ("credentials", "/no/such/file", "neither JSON nor the path of a file"),
        ("credentials", "{", "is not JSON"),
        ("credentials", '{"type": "magic"}', "known: service_account"),
        ("accessToken", "two words", "no access token"),
        ("accessToken", "t\u00f6ken", "no access token"),
        ("impersonateServiceAccount", "me", "'me' is not a service account"),
        ("userProjectOverride", "perhaps", "expected true or false, got 'perhaps'"),
        ("universeDomain", "https://apis.example", "is not a domain"),
        ("caBundle", "/no/such/file", "is not a file that can be read"),
        ("caBundle", __file__, "holds no certificate"),
        ("defaultLabels", {"Team": "a"}, "'Team' is not a valid label key"),
        ("defaultLabels", "team=a", "expected an object"),
        ("refreshBeforeUpdate", "no", "expected true or false, got 'no'"),
        ("projekt", "p", "did you mean project?"),
    ],
)
async def test_fault(wire: Wire, setting: str, value: Any, words: str) -> None:
    faults = await wire.check_config(**{setting: value})

    assert list(faults) == [setting]
    assert words in faults[setting]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("credentials", KEY),
        ("accessToken", "ya29.token"),
        ("impersonateServiceAccount", "a@p.iam.gserviceaccount.com"),
        ("userProjectOverride", "true"),
        ("userProjectOverride", False),
        ("universeDomain", "apis-berlin-build0.goog"),
        ("defaultLabels", '{"team": "a"}'),
        ("defaultLabels", {"team": "a"}),
        ("project", "example.com:project-1"),
        ("project", "100000000001"),
        ("endpoints", {"iamcredentials": "https://a"}),
    ],
)
async def test_allowed(wire: Wire, setting: str, value: Any) -> None:
    assert await wire.check_config(**{setting: value}) == {}


async def test_delegates_of_nobody(wire: Wire) -> None:
    faults = await wire.check_config(impersonateServiceAccountDelegates=["a@p.iam.gserviceaccount.com"])

    assert "impersonateServiceAccount, which is not set" in faults["impersonateServiceAccountDelegates"]


@pytest.mark.parametrize("override", [None, "false", False])
async def test_billing_project_that_would_not_be_charged(wire: Wire, override: Any) -> None:
    faults = await wire.check_config(billingProject="billed-1", userProjectOverride=override)

    assert "userProjectOverride" in faults["billingProject"]


async def test_billing_project_that_is_charged_by_the_environment(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER_PROJECT_OVERRIDE", "1")

    assert await wire.check_config(billingProject="billed-1") == {}


async def test_fault_of_the_environment_names_the_variable(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_ZONE", "somewhere")

    assert "(from the environment: GOOGLE_ZONE)" in (await wire.check_config())["zone"]


async def test_every_fault_at_once_wherever_it_is(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_REGION", "somewhere")

    faults = await wire.check_config(credentials="{", defaultLabels={"A": "b"}, ownerId="short")

    assert sorted(faults) == ["credentials", "defaultLabels", "location", "ownerId"]


@pytest.mark.parametrize("value", ["{" + CANARY, f'{{"type": "{CANARY}"}}', f"/{CANARY}"])
async def test_fault_does_not_show_credentials(wire: Wire, value: str) -> None:
    assert CANARY not in str(await wire.check_config(credentials=value))


@pytest.mark.parametrize("given", [KEY, Secret(KEY)], ids=["plain", "secret"])
async def test_credentials_are_secret_however_they_are_given(wire: Wire, given: Any) -> None:
    answer = await wire.call("CheckConfig", provider_pb2.CheckRequest(news=to_wire({"credentials": given})))

    assert from_wire(answer.inputs) == {"credentials": Secret(KEY)}


async def test_credentials_that_are_not_known_yet(wire: Wire) -> None:
    assert await wire.check_config(credentials=UNKNOWN, accessToken=UNKNOWN, defaultLabels=UNKNOWN) == {}


async def test_path_of_credentials(wire: Wire, tmp_path: Path) -> None:
    path = tmp_path / "key.json"
    path.write_text(KEY)

    assert await wire.check_config(credentials=str(path)) == {}


@pytest.mark.parametrize("setting", ["defaultLabels", "universeDomain", "credentials", "impersonateServiceAccount"])
async def test_another_setting_replaces_nothing(wire: Wire, setting: str) -> None:
    request = provider_pb2.DiffRequest(olds=to_wire({setting: "old"}), news=to_wire({setting: "new"}))

    answer = await wire.call("DiffConfig", request)

    assert (answer.changes, list(answer.replaces)) == (provider_pb2.DiffResponse.DIFF_SOME, [])
