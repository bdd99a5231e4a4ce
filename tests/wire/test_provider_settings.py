"""CheckConfig, DiffConfig and Configure: every fault at once, secrets that stay secret, an environment that counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from tests.wire.harness import Wire
from tests.wire.properties import Secret, from_wire, to_wire
from tpuserve.catalog.faults import UNKNOWN
from tpuserve.resources import provider

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


ACCOUNT = "a@p.iam.gserviceaccount.com"
EVERY = {
    "project": "p-12345",
    "location": "us-east5",
    "zone": "us-east5-b",
    "ownerId": "a" * 20,
    "defaultLabels.team": "a",
    "credentials": KEY,
    "accessToken": "ya29.token",
    "impersonateServiceAccount": ACCOUNT,
    "impersonateServiceAccountDelegates.0": ACCOUNT,
    "userProjectOverride": True,
    "billingProject": "p-12345",
    "universeDomain": "apis-berlin-build0.goog",
    "caBundle": "/etc/ca.pem",
    "endpoints.tpu": "https://a",
    "endpoints.tpuRest": "https://a",
    "endpoints.aiplatform": "https://a",
    "endpoints.iamcredentials": "https://a",
    "endpoints.cloudquotas": "https://a",
    "refreshBeforeUpdate": True,
}
"""A value at each setting; of maps and lists at one of their items."""


def settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, as a program gives them, of values by dotted path."""
    made: dict[str, Any] = {}
    for path, value in values.items():
        first, _, rest = path.partition(".")
        made[first] = value if not rest else [value] if rest == "0" else {**made.get(first, {}), rest: value}
    return made


def test_every_setting_has_a_value_here() -> None:
    shape = provider.SHAPE.by_wire()

    assert set(settings(EVERY)) == set(shape)
    assert set(settings(EVERY)["endpoints"]) == set(shape["endpoints"].shape.by_wire())


@pytest.mark.parametrize("path", EVERY)
async def test_what_a_setting_cannot_be_is_refused_where_it_stands(wire: Wire, path: str) -> None:
    given = EVERY | {path: "no \n way!"}
    if path == "caBundle":
        given = {path: "/no/such/file"}

    faults = await wire.check_config(**settings(given))

    assert any(path.startswith(found.replace("[", ".").replace("]", "")) for found in faults), faults


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


@pytest.mark.parametrize("kind", [str, Secret], ids=["plain", "secret"])
@pytest.mark.parametrize(("setting", "value"), [("credentials", KEY), ("accessToken", "ya29.token")])
async def test_what_proves_who_asks_is_secret_however_it_is_given(
    wire: Wire, setting: str, value: str, kind: Callable[[str], Any]
) -> None:
    answer = await wire.call("CheckConfig", provider_pb2.CheckRequest(news=to_wire({setting: kind(value)})))

    assert from_wire(answer.inputs) == {setting: Secret(value)}


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
