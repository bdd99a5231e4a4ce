"""Remedies: single values that are set or taken out of a resource; what is secret or not known yet stays so.

The policy SDK hands a remedy its secrets in plain text and its unknowns as text, and a plain copy that is given back
would be written to the state as it is. So a remedy only reads, and says what to change.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

# The SDK's proxies have no public way to what they stand for; its own serializer does the same.
from pulumi_policy.proxy import _DictProxy, _ListProxy, unknown_checking_proxy
from pulumi_policy.secret import Secret, _DictSecretsProxy, _ListSecretsProxy

PROXIES = (_DictProxy, _ListProxy, _DictSecretsProxy, _ListSecretsProxy)


@dataclass(frozen=True, slots=True)
class Edit:
    """One value to be set; None takes it out."""

    steps: tuple[str | int, ...]
    """The way to it: keys of maps and indices of lists. Maps that are missing on the way are made."""
    value: Any = None


def tree(given: Any) -> Any:
    """The resource as maps and lists of its own, with `Secret` where a secret is, and the SDK's marks of unknowns."""
    if isinstance(given, PROXIES):
        return tree(given["__target"])
    if isinstance(given, Secret):
        return Secret(tree(given.value))
    if isinstance(given, Mapping):
        return {key: tree(value) for key, value in given.items()}
    return [tree(value) for value in given] if isinstance(given, list) else given


def readable(given: Any) -> Any:
    """A tree as rules read it: secrets in plain text, an error for what is not known yet."""
    return unknown_checking_proxy(_plain(given))


def apply(given: Any, edits: Iterable[Edit]) -> None:
    """Change a tree."""
    for edit in edits:
        _apply(given, edit.steps, edit.value)


def _plain(given: Any) -> Any:
    if isinstance(given, Secret):
        return _plain(given.value)
    if isinstance(given, dict):
        return {key: _plain(value) for key, value in given.items()}
    return [_plain(value) for value in given] if isinstance(given, list) else given


def _apply(holder: Any, steps: tuple[str | int, ...], value: Any) -> None:
    inner = holder.value if isinstance(holder, Secret) else holder
    step, rest = steps[0], steps[1:]
    old = inner.get(step) if isinstance(inner, dict) else inner[step]
    if rest:
        if old is None:
            inner[step] = {}
        _apply(inner[step], rest, value)
    elif value is None:
        del inner[step]
    else:
        inner[step] = Secret(value) if isinstance(old, Secret) else value
