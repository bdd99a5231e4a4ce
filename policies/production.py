"""Family `production`: what a stack that users depend on must have; switched on by its policy configuration."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from pulumi_policy import PolicyConfigSchema

from tpuserve.catalog import UNKNOWN, Unknown, at
from tpuserve.declared.tokens import (
    DEPLOYMENT,
    ENDPOINT,
    MODEL,
    QUEUED,
    RAW_ENDPOINT,
    RAW_GARDEN,
    RAW_POOL,
    RAW_QUEUED,
    RAW_VM,
)

from .family import Answer, Config, Family, Passed, Resource, Unchecked, Violated
from .remedies import Edit
from .values import Found, find, plain

NODE = "tpu.nodeSpec.*.node"
RAW_NODE = "tpu.nodeSpecs.*.node"
VARIANT = "deployedModels.*"
POOLED = {
    DEPLOYMENT: f"{VARIANT}.dedicatedResources",
    RAW_POOL: "dedicatedResources",
    RAW_GARDEN: "deployConfig.dedicatedResources",
}
"""Types with replicas, each with where they are."""
LABELLED = {MODEL: "", ENDPOINT: "", RAW_ENDPOINT: "", RAW_VM: "", QUEUED: NODE}
"""Types with labels, each with what holds them."""
SPLIT = (DEPLOYMENT, RAW_ENDPOINT)
"""Types with a traffic split."""
HANDED_OVER = re.compile(r'(\["?)?(trafficSplit\b|\*)')
"""A property path that a split is at or below."""
LOGGING = "predictRequestResponseLoggingConfig.enabled"
KEY = "encryptionSpec.kmsKeyName"
PROTECTED = (DEPLOYMENT, QUEUED, MODEL, ENDPOINT, RAW_ENDPOINT, RAW_POOL, RAW_GARDEN, RAW_VM, RAW_QUEUED)
RULES = (
    "replicas",
    "protection",
    "service-account",
    "external-addresses",
    "encryption",
    "labels",
    "logging",
    "autoscaling",
    "spot",
    "handed-over",
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A value that must be so, wherever its holder is."""

    rule: str
    holder: str
    key: str
    holds: Callable[[Any], bool]
    message: str


def _given(value: Any) -> bool:
    return bool(value)


def _off(value: Any) -> bool:
    return value is None or value is False


ACCOUNT = "is missing: it would run as the default service account; give it one of its own"
OWN_KEY = "is missing: give a key of your own in Cloud KMS"
LOG = "is not on: log requests and responses"
OUTSIDE = "is true: leave it out, and give the subnetwork Private Google Access"
SPOT = "asks for capacity that Google may take back at any time: leave it out"
ENDING = "lets Google take the slices away when their run is over: leave it out"
MODEL_OF_CAPACITY = "asks for capacity that Google takes back, SPOT at any time, FLEX_START after its run: leave it out"
PASSING = ("SPOT", "FLEX_START")
REQUIREMENTS: Mapping[str, Sequence[Requirement]] = {
    DEPLOYMENT: [
        Requirement("service-account", VARIANT, "serviceAccount", _given, ACCOUNT),
        Requirement("spot", f"{VARIANT}.dedicatedResources", "spot", _off, SPOT),
    ],
    RAW_POOL: [Requirement("spot", "dedicatedResources", "spot", _off, SPOT)],
    QUEUED: [
        Requirement("service-account", NODE, "serviceAccount.email", _given, ACCOUNT),
        Requirement("external-addresses", NODE, "networkConfig.enableExternalIps", _off, OUTSIDE),
        Requirement("encryption", NODE, "bootDiskConfig.customerEncryptionKey.kmsKeyName", _given, OWN_KEY),
        Requirement("spot", "", "spot", _off, SPOT),
        Requirement("spot", "", "bestEffort", _off, SPOT),
        Requirement("spot", "", "provisioningModel", lambda value: value not in PASSING, MODEL_OF_CAPACITY),
        Requirement("spot", "", "runDuration", _off, ENDING),
        Requirement("spot", NODE, "schedulingConfig.spot", _off, SPOT),
        Requirement("spot", NODE, "schedulingConfig.preemptible", _off, SPOT),
    ],
    RAW_VM: [
        Requirement("service-account", "", "serviceAccount.email", _given, ACCOUNT),
        Requirement("external-addresses", "", "networkConfig.enableExternalIps", _off, OUTSIDE),
        Requirement("external-addresses", "networkConfigs.*", "enableExternalIps", _off, OUTSIDE),
        Requirement("spot", "", "schedulingConfig.spot", _off, SPOT),
        Requirement("spot", "", "schedulingConfig.preemptible", _off, SPOT),
    ],
    RAW_QUEUED: [
        Requirement("external-addresses", RAW_NODE, "networkConfig.enableExternalIps", _off, OUTSIDE),
    ],
    RAW_GARDEN: [Requirement("spot", POOLED[RAW_GARDEN], "spot", _off, SPOT)],
    MODEL: [Requirement("encryption", "", KEY, _given, OWN_KEY)],
    ENDPOINT: [
        Requirement("encryption", "", KEY, _given, OWN_KEY),
        Requirement("logging", "", LOGGING, lambda value: value is True, LOG),
    ],
    RAW_ENDPOINT: [
        Requirement("encryption", "", KEY, _given, OWN_KEY),
        Requirement("logging", "", LOGGING, lambda value: value is True, LOG),
    ],
}


def _today() -> date:
    return datetime.now(UTC).date()


def production(resource: Resource, config: Config, today: Callable[[], date] = _today) -> list[Answer] | None:
    """Each requirement that the resource is a subject of, less those that the configuration leaves out."""
    if resource.token not in PROTECTED or not config.get("enforced"):
        return None if resource.token not in PROTECTED else []
    given, left_out = plain(resource.properties), config.get("except") or ()
    parts: dict[str, Iterator[Answer]] = {
        "replicas": _replicas(resource.token, given, config.get("replicas") or 2),
        "protection": _protection(resource, given),
        "labels": _labels(resource, given, config.get("labels") or {}),
        "autoscaling": _autoscaling(resource.token, given),
        "handed-over": _handed_over(resource, config.get("handedOver") or {}, today()),
    }
    answers = [each for rule, found in parts.items() if rule not in left_out for each in found]
    for need in REQUIREMENTS.get(resource.token, ()):
        answers += [] if need.rule in left_out else _required(given, need)
    return answers


def _required(given: Any, need: Requirement) -> Iterator[Answer]:
    for path, holder in _holders(given, need.holder):
        value = at(holder, need.key)
        yield _answer(_join(path, need.key), value, need.holds, need.message)


def _answer(path: str, value: Any, holds: Callable[[Any], bool], message: str) -> Answer:
    if isinstance(value, Unknown):
        return Unchecked(path)
    return Passed(path) if holds(value) else Violated(path, message)


def _replicas(token: str, given: Any, least: int) -> Iterator[Answer]:
    pattern, key = ("tpu.nodeSpec.*", "multiNodeParams.nodeCount") if token == QUEUED else (POOLED.get(token), "")
    key = key or "minReplicaCount"
    for path, holder in _holders(given, pattern) if pattern else ():
        value, noun = at(holder, key), "slices" if token == QUEUED else "replicas"
        found = 1 if value is None else value
        message = f"{found}: production needs {least} {noun} at least, so that one may fail"
        yield _answer(_join(path, key), found, lambda count: count >= least, message)


def _protection(resource: Resource, given: Any) -> Iterator[Answer]:
    if resource.options.protect:
        yield Passed("protect")
        return
    variants = list(_holders(given, VARIANT)) if resource.token == DEPLOYMENT else []
    values = [at(holder, "deletionProtection") for _, holder in variants]
    if values and all(value is True or isinstance(value, Unknown) for value in values):
        yield Unchecked(f"{VARIANT}.deletionProtection") if UNKNOWN in values else Passed(VARIANT)
    else:
        also = ", or deletionProtection on each variant" if resource.token == DEPLOYMENT else ""
        yield Violated("protect", f"is off: give the resource option protect{also}")


def _labels(resource: Resource, given: Any, wanted: Mapping[str, str]) -> Iterator[Answer]:
    """Check puts the provider's default labels into the inputs of all but nodes, which get them with the request."""
    token, is_unseen = resource.token, resource.token == QUEUED and resource.provider is None
    defaults = _default_labels(resource.provider) if resource.token == QUEUED else {}
    for path, holder in _holders(given, LABELLED[token]) if token in LABELLED else ():
        for key, value in wanted.items():
            should = f"{key}: {value}" if value else f"{key}, with a value of your choice"
            labels = at(holder, "labels")
            found = labels if isinstance(labels, Unknown) else (labels or {}).get(key)
            if found is None:
                found = defaults if isinstance(defaults, Unknown) else defaults.get(key)
            unseen = "; default labels of the provider are not seen here" if is_unseen else ""
            message = f"{'is missing' if found is None else f'is {found!r}'}; this stack labels with {should}{unseen}"
            where = f"{_join(path, 'labels')}.{key}"
            yield _answer(where, found, lambda own, value=value: own == value if value else own, message)


def _default_labels(provider: Any) -> Any:
    """The provider's `defaultLabels`, which its entry holds as JSON; none where the provider is not seen."""
    found = next(find(provider, "defaultLabels"), None) if provider is not None else None
    value = found.value if found else {}
    return json.loads(value) if isinstance(value, str) else plain(value)


def _autoscaling(token: str, given: Any) -> Iterator[Answer]:
    for path, holder in _holders(given, POOLED[token]) if token in POOLED else ():
        least, most = at(holder, "minReplicaCount"), at(holder, "maxReplicaCount")
        where = _join(path, "autoscalingMetricSpecs")
        if isinstance(least, Unknown) or isinstance(most, Unknown):
            yield Unchecked(_join(path, "minReplicaCount" if isinstance(least, Unknown) else "maxReplicaCount"))
        elif most is not None and least is not None and most > least:
            message = "is missing: replicas would follow the CPU, which idles beside a busy TPU; name a metric"
            yield _answer(where, at(holder, "autoscalingMetricSpecs"), _given, message)


def _handed_over(resource: Resource, known: Mapping[str, Mapping[str, str]], today: date) -> Iterator[Answer]:
    """A split that `ignoreChanges` hands to someone else needs a last day, in the configuration."""
    if resource.token not in SPLIT or not any(map(HANDED_OVER.match, resource.options.ignore_changes)):
        return
    until = known.get(resource.name, {}).get("until", "")
    where = f"`production.handedOver.{resource.name}` of the stack's policy configuration"
    if not until:
        yield Violated("trafficSplit", f"is handed over by ignoreChanges without a last day; give `until` in {where}")
    elif date.fromisoformat(until) < today:
        yield Violated("trafficSplit", f"was handed over until {until}; take it back, or give another day in {where}")
    else:
        yield Passed("trafficSplit")


def labelled(resource: Resource, config: Config) -> Iterator[Edit]:
    """The labels that are missing and have one value, wherever the resource has labels."""
    wanted = {key: value for key, value in (config.get("labels") or {}).items() if value}
    if resource.token not in LABELLED or not config.get("enforced") or "labels" in (config.get("except") or ()):
        return
    pattern = LABELLED[resource.token]
    for found in find(resource.properties, pattern) if pattern else [Found("", resource.properties)]:
        labels = at(plain(found.value), "labels")
        if isinstance(labels, Unknown):
            continue
        yield from (
            Edit((*found.steps, "labels", key), value) for key, value in wanted.items() if key not in (labels or {})
        )


def _holders(given: Any, pattern: str) -> Iterator[tuple[str, Any]]:
    if not pattern:
        yield "", given
        return
    for found in find(given, pattern):
        yield found.path, found.value


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


FAMILY = Family(
    name="production",
    description="What a stack that users depend on must have; nothing unless `production.enforced` is true.",
    rule=production,
    tokens=PROTECTED,
    remedy=labelled,
    remediation="Do what the message says, or name the rule in `production.except`.",
    config_schema=PolicyConfigSchema(
        properties={
            "enforced": {"type": "boolean", "description": "Whether this stack is a production stack."},
            "except": {
                "type": "array",
                "items": {"type": "string", "enum": list(RULES)},
                "description": "Rules that do not hold for this stack.",
            },
            "replicas": {"type": "integer", "minimum": 1, "description": "Replicas or slices at least; 2 if left out."},
            "labels": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "description": "Labels of every resource that has any; an empty value stands for any value.",
            },
            "handedOver": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": ["until"],
                    "additionalProperties": False,
                    "properties": {
                        "until": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                        "reason": {"type": "string"},
                    },
                },
                "description": "By resource name: the last day on which ignoreChanges may hand its split over.",
            },
        }
    ),
)
