"""Who calls: the names by which the table of permissions knows a caller."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

EVERYBODY_ELSE = "*"
_CLAIMS = ("email", "sub", "iss")

Granted = Sequence[str] | None  # None: every permission
Grants = Granted | Mapping[str, Granted]


def callers(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """The names of a call's caller, none where there is no bearer token: the token itself, and of one that is a JWT
    its `email`, `sub` and `iss`.

    Google's clients sign such a token themselves for a service account, whose address is `sub` and `iss` (google-auth,
    `google.auth.jwt.Credentials`); an ID token has `email`. No signature is looked at.
    """
    scheme, _, token = metadata.get("authorization", "").strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token:
        return ()
    claims = _claims(token)
    told = [claims[name] for name in _CLAIMS if isinstance(claims.get(name), str)]
    return (token, *dict.fromkeys(told))


def granted(given: Grants, names: Sequence[str]) -> Granted:
    """What a caller of these names may do: of a table the row of the first that it has, else that of `*`, else every
    permission; what is no table holds for everybody."""
    if not isinstance(given, Mapping):
        return given
    found = next((name for name in (*names, EVERYBODY_ELSE) if name in given), None)
    return None if found is None else given[found]


def every(given: Grants) -> frozenset[str]:
    """Every permission that is granted by name to anybody."""
    rows = given.values() if isinstance(given, Mapping) else [given]
    return frozenset(permission for row in rows for permission in row or ())


def _claims(token: str) -> Mapping[str, Any]:
    """A JWT's claims; none of what is no JWT."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        found = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
