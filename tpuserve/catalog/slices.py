"""The shape of one slice: accelerator type or generation and topology, and a runtime version that can boot it."""

from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.catalog.accelerators import accelerator_of_config, check_accelerator_type, check_topology
from tpuserve.catalog.faults import UNKNOWN, Fault, Unclear, Unknown
from tpuserve.catalog.generations import generations
from tpuserve.catalog.runtimes import check_runtime
from tpuserve.catalog.words import listed


def check_slice(node: Mapping[str, Any]) -> Iterator[Fault | Unclear]:
    """What in a node of the Cloud TPU API does not agree; paths are those of the node.

    Covers `acceleratorType`, `acceleratorConfig` and `runtimeVersion`; what is absent is not looked at.
    """
    kind, config = node.get("acceleratorType"), node.get("acceleratorConfig")
    if isinstance(kind, Unknown):
        yield Unclear("acceleratorType")
    elif kind is not None and isinstance(config, Mapping):
        yield Fault("", "needs exactly one of acceleratorType (v6e-8) and acceleratorConfig (V6E and 2x4); remove one")
    elif kind is not None and (message := check_accelerator_type(kind)):
        yield Fault("acceleratorType", message)
    yield from _config(config)
    yield from _runtime(accelerator_of(node), node.get("runtimeVersion"))


def accelerator_of(node: Any) -> Any:
    """Accelerator type of a node, whichever way it is given; `UNKNOWN` where that cannot be told."""
    if not isinstance(node, Mapping):
        return UNKNOWN
    config = node.get("acceleratorConfig")
    if config is None:
        return node.get("acceleratorType", UNKNOWN)
    if not isinstance(config, Mapping):
        return UNKNOWN
    kind = accelerator_of_config(config.get("type"), config.get("topology"))
    return kind.name if kind else UNKNOWN


def _config(config: Any) -> Iterator[Fault | Unclear]:
    if not isinstance(config, Mapping):
        yield from [Unclear("acceleratorConfig")] if config is UNKNOWN else []
        return
    given: dict[str, Any] = {key: config.get(key) for key in ("type", "topology")}
    unknown = [Unclear(f"acceleratorConfig.{key}") for key, value in given.items() if isinstance(value, Unknown)]
    names = [each.accelerator for each in generations().values()]
    yield from unknown
    if given["type"] is not None and not isinstance(given["type"], Unknown) and given["type"] not in names:
        yield Fault(
            "acceleratorConfig.type",
            f"{given['type']!r} is not a generation that this project serves on; use {listed(names, 'or')}",
        )
    elif not unknown and given["topology"] is not None and (message := check_topology(*given.values())):
        yield Fault("acceleratorConfig.topology", message)


def _runtime(accelerator: Any, runtime: Any) -> Iterator[Fault | Unclear]:
    if isinstance(runtime, Unknown):
        yield Unclear("runtimeVersion")
    elif runtime is not None and (message := check_runtime(accelerator, runtime)):
        yield Fault("runtimeVersion", message)
