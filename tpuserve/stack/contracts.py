"""What stacks of other projects give to a stack: one dataclass a contract, one field an output (camelCase there)."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tpuserve.catalog import Fault
from tpuserve.catalog.words import did_you_mean, listed
from tpuserve.stack.decoding import Decoder, camel

T = TypeVar("T")
HIDDEN = "is a secret, and no contract has any; let that stack export it as it is"


def _doc(text: str) -> dict[str, Any]:
    return {"doc": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkContract:
    """What a stack with a host network gives."""

    network: str = field(metadata=_doc("projects/HOST/global/networks/NETWORK"))
    subnetwork: str = field(metadata=_doc("projects/HOST/regions/REGION/subnetworks/SUBNETWORK"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryContract:
    """What a stack with an image repository gives."""

    project: str = field(metadata=_doc("the project of the repository"))
    location: str = field(metadata=_doc("the region of the repository"))
    repository: str = field(metadata=_doc("the id of the repository"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentContract:
    """What a stack with the surroundings of one environment gives: the program runs what it builds in them."""

    service_account: str = field(metadata=_doc("the address of the account that containers and slices run as"))
    model_bucket: str = field(metadata=_doc("gs://BUCKET, where weights are"))
    kms_key_name: str | None = field(
        default=None, metadata=_doc("the key of models, endpoints and boot disks; else Google's")
    )
    request_log: str | None = field(
        default=None, metadata=_doc("bq://PROJECT.DATASET, where requests are logged; else nowhere")
    )
    request_log_percent: int = field(default=10, metadata=_doc("the share of requests that are logged, in percent"))
    repository_url: str | None = field(default=None, metadata=_doc("LOCATION-docker.pkg.dev/PROJECT/REPOSITORY"))
    network: str | None = field(default=None, metadata=_doc("the network of the slices; else the project's default"))
    subnetwork: str | None = field(default=None, metadata=_doc("the subnetwork of the slices"))
    labels: Mapping[str, str] = field(default_factory=dict, metadata=_doc("labels of everything in the environment"))


class ContractError(Exception):
    """Every output that is not as the contract says, one a line."""

    def __init__(self, stack: str, faults: list[Fault]) -> None:
        self.faults = tuple(faults)
        lines = "\n".join(f"  {fault}" for fault in faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        super().__init__(f"stack {stack} does not give what this stack needs, {count}; nothing was asked for:\n{lines}")


def fulfilled(contract: type[T], stack: str, outputs: Mapping[str, Any], secrets: Collection[str] = ()) -> T:
    """The outputs of a stack as a contract; outputs beyond it are the other stack's own. Raises ContractError.

    `secrets` are the names of outputs that are secrets: none is taken, and none is shown.
    """
    names = {camel(each.name) for each in dataclasses.fields(contract)}  # pyright: ignore[reportArgumentType]
    given = {name: value for name, value in outputs.items() if name in names and name not in secrets}
    others = sorted(name for name in outputs if name not in names)
    decoder = Decoder()
    found = decoder.decode(contract, given, "")
    faults = [Fault(name, HIDDEN) for name in sorted(names & set(secrets))]
    faults += [_hinted(fault, others) for fault in decoder.faults if fault.path not in secrets]
    if faults:
        raise ContractError(stack, faults)
    return found


def outputs_of(contract: Any) -> dict[str, Any]:
    """A contract's values under the names of its outputs, less those that are left out: what a program exports."""
    values = {each.name: getattr(contract, each.name) for each in dataclasses.fields(contract)}
    return {camel(name): value for name, value in values.items() if value is not None}


def _hinted(fault: Fault, others: list[str]) -> Fault:
    """What is missing may be there under another name."""
    if not fault.message.startswith("missing"):
        return fault
    given = f"; it gives {listed(others)}" if others else "; it gives nothing else"
    return Fault(fault.path, fault.message + (did_you_mean(fault.path, others) or given))
