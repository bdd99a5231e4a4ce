"""What Google's client packages say of each field and of what an update may change, read from their docstrings."""

from __future__ import annotations

import re
from typing import Any

from google.cloud import aiplatform_v1, tpu_v2alpha1

_ENTRY = re.compile(r"^ {8}(\w+) \(.*\):\n((?: {12}.*\n|\n)+)", re.MULTILINE)
_MODES = ("Immutable.", "Output only.", "Input only.", "Required.", "Optional.")


def described(wrapper: Any) -> dict[str, str]:
    """Field (as the proto spells it) -> its description, in one line."""
    return {name: " ".join(text.split()) for name, text in _ENTRY.findall(f"{wrapper.__doc__}\n")}


def modes(text: str) -> set[str]:
    """The words with which a description begins: `Required. Immutable. The ...` -> Required, Immutable."""
    found: set[str] = set()
    while mode := next((mode for mode in _MODES if text.startswith(mode)), ""):
        found.add(mode.rstrip("."))
        text = text.removeprefix(mode).lstrip()
    return found


def fields(wrapper: Any, mode: str) -> set[str]:
    """The fields of a message whose description begins with that word."""
    return {name for name, text in described(wrapper).items() if mode in modes(text)}


def mutable_in_a_deployed_model() -> set[str]:
    """What mutateDeployedModel may change: the list in its request's description, less v1beta1's."""
    text = described(aiplatform_v1.MutateDeployedModelRequest)["deployed_model"]
    listed = text.partition("Only the following fields can be mutated:")[2].split(" - ")
    entries = [entry for entry in listed if entry.strip() and "(v1beta1 only)" not in entry]
    return {re.search(r"[`\[]+(\w+)", entry)[1] for entry in entries}  # pyright: ignore[reportOptionalSubscript]


def mutable_in_a_model() -> set[str]:
    """What UpdateModel may change of a model and of a version, from UpdateModelRequest.model; aliases have a method."""
    text = described(aiplatform_v1.UpdateModelRequest)["model"]
    listed = re.search(r"Supported model fields: ([\w, ]+); supported version-specific fields: ([\w, ]+)\.", text)
    assert listed, text
    assert "Labels are supported in both scenarios." in text
    assert hasattr(aiplatform_v1.ModelServiceClient, "merge_version_aliases")
    return {name.strip() for group in listed.groups() for name in group.split(",")} | {"labels", "version_aliases"}


def mutable_in_the_long_running_update() -> set[str]:
    """What UpdateEndpointLongRunning may change."""
    text = described(aiplatform_v1.UpdateEndpointLongRunningRequest)["endpoint"]
    return set(re.findall(r"we only support updating the ``(\w+)`` field", text))


def queued_resources_can_be_updated() -> bool:
    """Whether the Cloud TPU API has a method that changes a queued resource."""
    return any(hasattr(tpu_v2alpha1.TpuClient, f"{verb}_queued_resource") for verb in ("update", "patch", "mutate"))
