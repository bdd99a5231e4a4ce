"""A container as it reaches Google: whether one of Google's own is started as its page says.

Containers are `google.cloud.aiplatform.v1.ModelContainerSpec` with its names on the wire, camelCase. Source of what
each container takes: Vertex AI, "Deploy a model to Cloud TPU VMs", as in `data/containers.toml`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tpuserve.catalog.containers import ContainerPreset, container_presets
from tpuserve.catalog.converter import check_converter_options
from tpuserve.catalog.faults import UNKNOWN, Fault, Unclear, Unknown
from tpuserve.catalog.identifiers import check_resource_id
from tpuserve.catalog.images import is_of_family
from tpuserve.catalog.numbers import check_port
from tpuserve.catalog.words import listed

DEFAULT_PORT = 8080
"""ModelContainerSpec.ports: where none is given."""
ROUTES = {"predict_route": "predictRoute", "health_route": "healthRoute"}


@dataclass(frozen=True, slots=True)
class _Flag:
    index: int
    text: str
    value: str


def presets_of(image: object) -> list[ContainerPreset]:
    """The presets that an image of Google's can be started as; none for any other image."""
    return [each for each in container_presets().values() if is_of_family(image, each.image_family)]


def check_container_spec(spec: Mapping[str, Any]) -> list[Fault | Unclear]:
    """What is wrong with a container, and what cannot be told of it."""
    image, found = spec.get("imageUri"), [*check_routes(spec), *_check_syntax(spec)]
    if isinstance(image, Unknown):
        return [*found, Unclear("imageUri")]
    presets = presets_of(image)
    return [*found, *(_check_start(presets, spec) if presets else ())]


def listed_in(spec: Mapping[str, Any], key: str) -> Sequence[Any]:
    """The elements of a list of the container, some of which may be `UNKNOWN`; none where there is no list."""
    found = spec.get(key)
    return found if isinstance(found, list | tuple) else ()


def check_routes(spec: Mapping[str, Any]) -> list[Fault]:
    """Routes that exclude one another. Source: ModelContainerSpec.invoke_route_prefix."""
    if spec.get("invokeRoutePrefix") is None or spec.get("predictRoute") is None:
        return []
    message = "cannot be given beside predictRoute: Google takes one of the two; remove one"
    return [Fault("invokeRoutePrefix", message)]


def check_any_path(dedicated: bool | Unknown | None, argument: str) -> str | None:
    """Why an endpoint cannot serve a container with `invokeRoutePrefix`; `argument` is what makes it a dedicated one.

    Source: ModelContainerSpec.invoke_route_prefix: supported on dedicated endpoints only.
    """
    if isinstance(dedicated, Unknown) or dedicated:
        return None
    return f"needs a dedicated endpoint; set {argument} to true, or remove it"


def check_prebuilt_artifact(image: object, artifact: str | Unknown | None) -> str | None:
    """Why one of Google's containers would find nothing to serve."""
    presets = presets_of(image)
    if not presets or artifact is not None:
        return None
    return f"missing; give the gs:// folder that the container serves: {listed((p.artifact for p in presets), 'or')}"


def _check_syntax(spec: Mapping[str, Any]) -> Iterator[Fault]:
    for key in ROUTES.values():
        if (route := spec.get(key)) is not None and (message := check_resource_id("route", route)):
            yield Fault(key, message)
    port = _first_port(spec)
    if port is not None and (message := check_port(port)):
        yield Fault("ports[0].containerPort", message)


def _first_port(spec: Mapping[str, Any]) -> Any:
    """Only the first is used; `UNKNOWN` where it is not known, None where none is given."""
    if isinstance(spec.get("ports"), Unknown):
        return UNKNOWN
    first = next(iter(listed_in(spec, "ports")), None)
    return first.get("containerPort") if isinstance(first, Mapping) else first


def _check_start(presets: Sequence[ContainerPreset], spec: Mapping[str, Any]) -> Iterator[Fault | Unclear]:
    if isinstance(spec.get("command"), Unknown):
        yield Unclear("command")
    elif listed_in(spec, "command"):
        yield Unclear("command", "replaces the entry point of Google's image: what the rest means is not known")
        return
    if isinstance(spec.get("args"), Unknown):
        yield Unclear("args")
    else:
        yield from _check_args(presets, listed_in(spec, "args"))
    yield from _check_preset_routes(presets[0], spec)


def _check_args(presets: Sequence[ContainerPreset], args: Sequence[Any]) -> Iterator[Fault | Unclear]:
    """The modes of the TensorFlow container: optimized by hand, partitioned by functions, or neither."""
    by_hand = dict(arg.split("=", 1) for preset in presets for arg in preset.args)
    functions = next((preset.functions_flag for preset in presets if preset.functions_flag), "")
    names = [name for name in (*by_hand, functions) if name]
    flags, unclear = _read(names, args)
    yield from unclear
    given = [name for name in by_hand if name in flags]
    if functions in flags and given:
        message = (
            f"{functions} cannot be given beside {listed(given)}: a model is optimized by hand or partitioned by its "
            "functions, not both; remove one or the other"
        )
        yield Fault(f"args[{flags[functions].index}]", message)
    elif functions in flags:
        flag = flags[functions]
        yield from (replace(each, path=f"args[{flag.index}]") for each in check_converter_options(flag.value))
    elif given:
        yield from _check_by_hand(by_hand, flags, open_=bool(unclear))


def _check_by_hand(by_hand: Mapping[str, str], flags: Mapping[str, _Flag], *, open_: bool) -> Iterator[Fault]:
    whole = listed(f"{name}={value}" for name, value in by_hand.items())
    way_out = f"a model that was optimized by hand is served with {whole}, any other with neither"
    for name, value in by_hand.items():
        if name in flags and set(flags[name].value.split(",")) != set(value.split(",")):
            yield Fault(f"args[{flags[name].index}]", f"{flags[name].text!r} is not {name}={value}: {way_out}")
    missing = [f"{name}={value}" for name, value in by_hand.items() if name not in flags]
    if missing and not open_:
        yield Fault(
            "args", f"{listed(missing)} is missing beside {listed(each.text for each in flags.values())}: {way_out}"
        )


def _read(names: Sequence[str], args: Sequence[Any]) -> tuple[dict[str, _Flag], list[Unclear]]:
    """The flags of these names as the page writes them, `--name=value`; what is written otherwise cannot be told."""
    flags: dict[str, _Flag] = {}
    unclear: list[Unclear] = []
    for index, arg in enumerate(args):
        name, equals, value = str(arg).partition("=")
        if isinstance(arg, Unknown):
            unclear.append(Unclear(f"args[{index}]"))
        elif name in names and (not equals or name in flags):
            way = "a second time" if name in flags else "without `=`, which Google's page does not show"
            unclear.append(Unclear(f"args[{index}]", f"gives {name} {way}"))
        elif name in names:
            flags[name] = _Flag(index, arg, _unquoted(value))
    return flags, unclear


def _unquoted(value: str) -> str:
    """A value without the single quotes that the page writes around it."""
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == "'" else value


def _check_preset_routes(preset: ContainerPreset, spec: Mapping[str, Any]) -> Iterator[Fault | Unclear]:
    for key, wire in ROUTES.items():
        wanted, value = getattr(preset, key), spec.get(wire)
        prefixed = wire == "predictRoute" and value is None and spec.get("invokeRoutePrefix") is not None
        if wanted is None or value == wanted or prefixed:
            continue
        yield Unclear(wire) if isinstance(value, Unknown) else Fault(wire, _not_the_presets(value, preset, wanted))
    port = DEFAULT_PORT if (given := _first_port(spec)) is None else given
    if isinstance(port, Unknown):
        yield Unclear("ports")
    elif preset.port not in (None, port):
        yield Fault("ports[0].containerPort", _not_the_presets(port, preset, preset.port))


def _not_the_presets(value: object, preset: ContainerPreset, wanted: object) -> str:
    found = "missing" if value is None else f"{value!r} is not where it answers"
    return f"{found}; Google's {preset.name} container ({preset.image_family}) answers at {wanted}: give that"
