"""Who asks Google: credentials, tokens, the project whose quota is charged, and which certificates are trusted."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tpuserve.threads import in_a_thread

GOOGLE_DOMAIN = "googleapis.com"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
# Source: google.auth.iam, the method that makes tokens of a service account.
TOKEN_PATH = "/v1/projects/-/serviceAccounts/{}:generateAccessToken"  # noqa: S105 - a path
QUOTA_PROJECT = "x-goog-user-project"
PROJECT = re.compile(r"projects/([^/]+)/")


class AccessError(Exception):
    """No token: `code` is the name of the gRPC status that says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Access:
    """How a provider's configuration says who asks; nothing of it is looked up before the first call."""

    credentials: str = field(default="", repr=False)
    """JSON, or the path of it; Application Default Credentials where empty."""
    access_token: str = field(default="", repr=False)
    impersonate: str = ""
    delegates: tuple[str, ...] = ()
    charges_project: bool = False
    """Whether the quota of `billing_project`, or else of the resource's project, is charged."""
    billing_project: str = ""
    universe_domain: str = GOOGLE_DOMAIN
    ca_bundle: str = ""
    """PEM file of the authorities that are trusted; gRPC's and certifi's own where empty."""

    def secrets(self) -> frozenset[str]:
        """Every text that must not be shown."""
        if not self.credentials.lstrip().startswith("{"):
            return frozenset(filter(None, [self.access_token]))
        try:
            kept = json.loads(self.credentials)
        except ValueError:
            kept = {}
        names = ("private_key", "private_key_id", "client_secret", "refresh_token", "token")
        inner = (kept.get(name) for name in names) if isinstance(kept, dict) else ()
        return frozenset(
            text for text in (self.access_token, self.credentials, *inner) if isinstance(text, str) and text
        )

    def quota(self, request: Mapping[str, Any]) -> dict[str, str]:
        """The header that names the project whose quota is charged."""
        project = (self.billing_project or project_of(request)) if self.charges_project else ""
        return {QUOTA_PROJECT: project} if project else {}

    def roots(self) -> bytes | None:
        """The trusted certificates, in PEM form. Raises OSError where the file is gone."""
        return Path(self.ca_bundle).expanduser().read_bytes() if self.ca_bundle else None


def project_of(request: Mapping[str, Any]) -> str:
    """The project of the object that a request is about."""
    for key in ("parent", "name", "endpoint", "model"):
        value = request.get(key)
        name = value.get("name", "") if isinstance(value, Mapping) else value
        if isinstance(name, str) and (found := PROJECT.match(name)):
            return found[1]
    return ""


@dataclass(slots=True)
class Caller:
    """Headers that prove who asks; the credentials are found once, and renewed when they end."""

    access: Access
    token_url: str = ""
    """Address of the Service Account Credentials API, where it is not Google's own."""
    _credentials: Any = None
    _request: Any = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def headers(self) -> dict[str, str]:
        """Raises AccessError where there are no credentials, or no token for them."""
        async with self._lock:
            return await in_a_thread(self._headers)

    def _headers(self) -> dict[str, str]:
        from google.auth import exceptions  # noqa: PLC0415

        headers: dict[str, str] = {}
        try:
            if self._credentials is None:
                self._request = requests(self.access.ca_bundle)
                self._credentials = self._find()
            self._credentials.before_request(self._request, "POST", "", headers)
        except exceptions.GoogleAuthError as error:
            passes = isinstance(error, exceptions.TransportError) or error.retryable
            raise AccessError("UNAVAILABLE" if passes else "UNAUTHENTICATED", _told(error)) from None
        if self.access.charges_project:
            headers.pop(QUOTA_PROJECT, None)
        return {key.lower(): value for key, value in headers.items()}

    def _find(self) -> Any:
        found = _found(self.access, self._request)
        if found.universe_domain != self.access.universe_domain:
            raise AccessError(
                "UNAUTHENTICATED",
                f"the credentials are of {found.universe_domain}, and the provider asks {self.access.universe_domain} "
                "(universeDomain)",
            )
        return self._impersonated(found) if self.access.impersonate else found

    def _impersonated(self, source: Any) -> Any:
        from google.auth import impersonated_credentials  # noqa: PLC0415

        host = self.token_url or f"https://iamcredentials.{self.access.universe_domain}"
        return impersonated_credentials.Credentials(
            source_credentials=source,
            target_principal=self.access.impersonate,
            target_scopes=[SCOPE],
            delegates=list(self.access.delegates) or None,
            iam_endpoint_override=host.rstrip("/") + TOKEN_PATH.format(self.access.impersonate),
        )


def requests(ca_bundle: str) -> Any:
    """What sends HTTP requests, those for tokens among them.

    The bundle goes with each request, for a session's own gives way to REQUESTS_CA_BUNDLE.
    """
    from google.auth.transport.requests import Request  # noqa: PLC0415

    return partial(Request(), verify=str(Path(ca_bundle).expanduser())) if ca_bundle else Request()


def _found(access: Access, request: Any) -> Any:
    """The credentials; of JSON that lacks a key, google-auth tells a fault of its own code."""
    from google.auth.exceptions import GoogleAuthError  # noqa: PLC0415

    try:
        return _own(access, request)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, GoogleAuthError):
            raise
        raise AccessError(
            "UNAUTHENTICATED", "credentials: a value in them is missing or of another kind than Google's libraries take"
        ) from None


def _own(access: Access, request: Any) -> Any:
    """The credentials that are given, else those of the environment."""
    import google.auth  # noqa: PLC0415
    from google.oauth2.credentials import Credentials  # noqa: PLC0415

    if access.access_token:
        return Credentials(access.access_token, universe_domain=access.universe_domain)
    if access.credentials:
        return _given(access.credentials, request)
    return google.auth.default(scopes=(SCOPE,), request=request)[0]


def _given(credentials: str, request: Any) -> Any:
    import warnings  # noqa: PLC0415

    import google.auth  # noqa: PLC0415

    known = _parsed(credentials)
    with warnings.catch_warnings():
        # It warns of configurations of unknown origin; this one is the user's own.
        warnings.simplefilter("ignore", DeprecationWarning)
        found = google.auth.load_credentials_from_dict(known, scopes=(SCOPE,), request=request)[0]
    # A signed token of its own spares the way to the token server, as Google's clients do it.
    jwt = getattr(found, "with_always_use_jwt_access", None)
    return jwt(True) if jwt else found


def _parsed(credentials: str) -> Any:
    """Checked when they were configured; the file may have gone since, such as before a later `pulumi destroy`."""
    try:
        inline = credentials.lstrip().startswith("{")
        return json.loads(credentials if inline else Path(credentials).expanduser().read_text("utf-8"))
    except OSError as error:
        raise AccessError("UNAUTHENTICATED", f"credentials: the file cannot be read: {error.strerror}") from None
    except ValueError:
        raise AccessError("UNAUTHENTICATED", "credentials: neither JSON nor the path of a file with it") from None


def _told(error: Exception) -> str:
    """The words of an error of google-auth, which come as a tuple of texts and objects."""
    words = [" ".join(part.split()) for part in error.args if isinstance(part, str)]
    return ": ".join(words) or type(error).__name__
