"""Who asks Google, over real TLS on this machine: tokens, impersonation, quota project, authorities, proxies."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.wire import programs
from tests.wire.authority import Authority, account_key
from tests.wire.front import Front, front, proxy, token_server
from tpuserve.access import QUOTA_PROJECT, Access, project_of
from tpuserve.emulator import Emulator
from tpuserve.google import CloudError, Google

PARENT = f"projects/{programs.PROJECT}/locations/{programs.LOCATION}"
LIST, HIDDEN = "ListModels", "[redacted]"
ACCOUNT, BETWEEN = "deployer@p.iam.gserviceaccount.com", "hop@p.iam.gserviceaccount.com"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest_asyncio.fixture
async def tls(emulator: Emulator, authority: Authority) -> AsyncIterator[Front]:
    """The emulator behind TLS, with a certificate of the test's own authority."""
    async with front(emulator.address, authority.server()) as found:
        yield found


def url(tls: Front) -> str:
    return f"https://localhost:{tls.address.rpartition(':')[2]}"


async def ask(access: Access, **endpoints: str) -> dict[str, Any]:
    google = Google(endpoints, access, retry_wait=(0.001, 0.002))
    try:
        return await google.call(LIST, {"parent": PARENT}, programs.LOCATION)
    finally:
        await google.close()


async def asked(tls: Front, **access: Any) -> dict[str, str]:
    """The headers of one call."""
    await ask(Access(**access), aiplatform=url(tls))
    return tls.seen[-1][1]


# --- certificates ------------------------------------------------------------------------------------------------


async def test_server_of_an_own_authority_is_trusted_with_its_bundle(tls: Front, authority: Authority) -> None:
    await ask(Access(access_token="t0ken", ca_bundle=authority.bundle), aiplatform=url(tls))

    assert [method for method, _ in tls.seen] == [LIST]


async def test_server_of_an_own_authority_is_not_trusted_without_it(tls: Front) -> None:
    with pytest.raises(CloudError) as error:
        await ask(Access(access_token="t0ken"), aiplatform=url(tls))

    assert (error.value.code, tls.seen) == ("UNAVAILABLE", [])


async def test_bundle_takes_the_place_of_the_public_authorities(tls: Front, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()

    with pytest.raises(CloudError):
        await ask(Access(access_token="t0ken", ca_bundle=Authority(other).bundle), aiplatform=url(tls))


async def test_bundle_that_is_gone_is_an_error_that_names_it(tls: Front) -> None:
    with pytest.raises(CloudError, match=r"caBundle: .*none\.pem"):
        await ask(Access(access_token="t0ken", ca_bundle="/none.pem"), aiplatform=url(tls))


# --- who asks ----------------------------------------------------------------------------------------------------


async def test_access_token_goes_with_each_call(tls: Front, authority: Authority) -> None:
    headers = await asked(tls, access_token="t0ken", ca_bundle=authority.bundle)

    assert headers["authorization"] == "Bearer t0ken"


async def test_access_token_goes_before_credentials(tls: Front, authority: Authority) -> None:
    given = json.dumps({"type": "authorized_user"})

    headers = await asked(tls, access_token="t0ken", credentials=given, ca_bundle=authority.bundle)

    assert headers["authorization"] == "Bearer t0ken"


@pytest.mark.parametrize(
    ("credentials", "words"),
    [
        ("/none.json", "credentials: the file cannot be read: No such file"),
        ("{", "credentials: neither JSON nor"),
        ('{"type": "impersonated_service_account"}', "credentials: a value in them is missing"),
    ],
)
async def test_credentials_that_went_bad_since_they_were_checked(tls: Front, credentials: str, words: str) -> None:
    """An explicit provider in the state is configured without a check before a destroy."""
    with pytest.raises(CloudError, match=words) as failed:
        await ask(Access(credentials=credentials), aiplatform=url(tls))

    assert failed.value.code == "UNAUTHENTICATED"


async def test_token_is_not_in_the_record(tls: Front, authority: Authority, emulator: Emulator) -> None:
    await asked(tls, access_token="t0ken", ca_bundle=authority.bundle)

    assert emulator.control.calls()[-1]["metadata"]["authorization"] == HIDDEN


async def test_plain_http_carries_no_token(emulator: Emulator) -> None:
    await ask(Access(access_token="t0ken"), aiplatform=f"http://{emulator.address}")

    assert "authorization" not in emulator.control.calls()[-1]["metadata"]


@pytest.mark.parametrize("as_path", [False, True], ids=["JSON", "path"])
async def test_service_account_signs_its_own_token(
    tls: Front, authority: Authority, tmp_path: Path, as_path: bool
) -> None:
    text = json.dumps(account())
    (tmp_path / "key.json").write_text(text)
    given = str(tmp_path / "key.json") if as_path else text

    headers = await asked(tls, credentials=given, ca_bundle=authority.bundle)

    body = headers["authorization"].removeprefix("Bearer ").split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    assert (claims["iss"], claims["scope"]) == (ACCOUNT, "https://www.googleapis.com/auth/cloud-platform")


async def test_credentials_of_another_universe_are_refused(tls: Front, authority: Authority) -> None:
    access = Access(credentials=json.dumps(account("apis.example")), ca_bundle=authority.bundle)

    with pytest.raises(CloudError, match=r"of apis\.example, and the provider asks googleapis\.com"):
        await ask(access, aiplatform=url(tls))


def account(universe: str = "googleapis.com") -> dict[str, str]:
    return {
        "type": "service_account",
        "client_email": ACCOUNT,
        "private_key": account_key(),
        "private_key_id": "1",
        "token_uri": "https://localhost:1/token",
        "universe_domain": universe,
    }


# --- impersonation -----------------------------------------------------------------------------------------------


async def test_impersonated_account_asks_with_its_own_token(tls: Front, authority: Authority) -> None:
    access = Access(access_token="t0ken", impersonate=ACCOUNT, delegates=(BETWEEN,), ca_bundle=authority.bundle)

    with token_server("other", authority.server()) as tokens:
        await ask(access, aiplatform=url(tls), iamcredentials=tokens.url)

    path, authorization, body = tokens.asked[0]
    assert tls.seen[-1][1]["authorization"] == "Bearer other"
    assert (path, authorization) == (f"/v1/projects/-/serviceAccounts/{ACCOUNT}:generateAccessToken", "Bearer t0ken")
    assert body["delegates"] == [BETWEEN]


async def test_one_token_is_good_for_many_calls(tls: Front, authority: Authority) -> None:
    access = Access(access_token="t0ken", impersonate=ACCOUNT, ca_bundle=authority.bundle)

    with token_server("other", authority.server()) as tokens:
        google = Google({"aiplatform": url(tls), "iamcredentials": tokens.url}, access)
        for _ in range(3):
            await google.call(LIST, {"parent": PARENT}, programs.LOCATION)
        await google.close()

    assert (len(tokens.asked), len(tls.seen)) == (1, 3)


async def test_token_server_of_an_own_authority_is_trusted_whatever_requests_is_told(
    tls: Front, authority: Authority, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", Authority(other).bundle)
    access = Access(access_token="t0ken", impersonate=ACCOUNT, ca_bundle=authority.bundle)

    with token_server("other", authority.server()) as tokens:
        await ask(access, aiplatform=url(tls), iamcredentials=tokens.url)

    assert len(tokens.asked) == 1


async def test_refused_impersonation_says_what_google_says(tls: Front, authority: Authority) -> None:
    access = Access(access_token="t0ken", impersonate=ACCOUNT, ca_bundle=authority.bundle)

    refused = pytest.raises(CloudError, match=r"iam\.serviceAccounts\.getAccessToken' denied")
    with token_server("", authority.server(), status=403) as tokens, refused as error:
        await ask(access, aiplatform=url(tls), iamcredentials=tokens.url)

    assert (error.value.code, tls.seen) == ("UNAUTHENTICATED", [])


# --- quota project -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("charges", "billing", "header"),
    [(False, "", None), (False, "billed", None), (True, "", programs.PROJECT), (True, "billed", "billed")],
)
async def test_project_whose_quota_is_charged(
    emulator: Emulator, charges: bool, billing: str, header: str | None
) -> None:
    access = Access(charges_project=charges, billing_project=billing)

    await ask(access, aiplatform=f"http://{emulator.address}")

    assert emulator.control.calls()[-1]["metadata"].get(QUOTA_PROJECT) == header


@pytest.mark.parametrize(
    "request_",
    [
        {"parent": "projects/p/locations/l"},
        {"name": "projects/p/locations/l/models/m"},
        {
            "endpoint": "projects/p/locations/l/endpoints/e",
            "deployedModel": {"model": "projects/q/locations/l/models/m"},
        },
        {"endpoint": {"name": "projects/p/locations/l/endpoints/e"}, "updateMask": "labels"},
        {"model": {"name": "projects/p/locations/l/models/m"}, "updateMask": "labels"},
    ],
)
def test_project_of_a_request(request_: dict[str, Any]) -> None:
    assert project_of(request_) == "p"


# --- proxies -----------------------------------------------------------------------------------------------------


async def test_proxy_of_the_environment_is_used(
    emulator: Emulator, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with front(emulator.address, authority.server("tpu.example")) as tls, proxy(tls.address) as (via, through):
        monkeypatch.setenv("https_proxy", via)
        await ask(Access(access_token="t0ken", ca_bundle=authority.bundle), aiplatform="https://tpu.example")

    assert through == ["CONNECT tpu.example:443 HTTP/1.1"]


async def test_no_proxy_names_hosts_that_are_reached_without(
    tls: Front, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with proxy(tls.address) as (via, through):
        monkeypatch.setenv("https_proxy", via)
        monkeypatch.setenv("no_proxy", "localhost")
        await asked(tls, access_token="t0ken", ca_bundle=authority.bundle)

    assert through == []
