"""Check: defaults and ids filled in, and every fault at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tpuserve.catalog.faults import UNKNOWN, Fault
from tpuserve.google import TPU, Google
from tpuserve.provider.config import ProviderConfig
from tpuserve.provider.ownership import object_id
from tpuserve.provider.values import Path, redacted
from tpuserve.resources.check import MISSING, faults, normalize
from tpuserve.resources.definition import Definition
from tpuserve.resources.diff import changes
from tpuserve.resources.fields import Effect, said_over_rest
from tpuserve.resources.provider import ENVIRONMENT
from tpuserve.resources.same import canonical, canonical_name

BESIDE = "It has another address, and what the old and the new one serve is both deployed, and paid for, for a while"
DELETE_FIRST = "Its id is given and stays, so the old one is deleted first: an outage until the new one serves"


@dataclass(frozen=True, slots=True)
class Autonaming:
    """The name that Pulumi's own autonaming configuration asks for."""

    name: str = ""
    mode: str = "PROPOSE"


@dataclass(slots=True)
class Checker:
    """Check for one provider configuration; remembers which endpoint which Deployment of this program serves."""

    config: ProviderConfig
    numbers: Mapping[str, str] = field(default_factory=dict)
    served: dict[str, str] = field(default_factory=dict)

    def check(
        self,
        definition: Definition,
        urn: str,
        old: Mapping[str, Any],
        given: Mapping[str, Any],
        naming: Autonaming,
        *,
        secrets: Collection[Path] = (),
    ) -> tuple[dict[str, Any], list[Fault]]:
        """The inputs as they will be used, and everything that is wrong with them; no secret enters an id."""
        inputs = normalize(definition.shape, given)
        shaped = faults(definition.shape, inputs, refused=definition.refused)
        if old and given == old:
            # An import shows what Read could read; what Google does not return is missed by whoever changes something.
            shaped = (fault for fault in shaped if fault.message != MISSING)
        found = [fault for fault in shaped if not _is_kept_id(definition, fault, old, inputs)]
        found += self.placed(definition.place, inputs)
        found += self._unreached(definition, inputs)
        self._label(definition, inputs)
        if not any(fault.path == definition.id_argument for fault in found):
            found += self._name(definition, urn, old, inputs, naming, secrets=secrets)
        malformed = {fault.path.split(".")[0].split("[")[0] for fault in found}
        for rule in definition.rules:
            found += [fault for fault in rule(_tolerant(inputs, malformed, found)) if fault not in found]
        found += self._serves_alone(definition, urn, inputs)
        found += self._replacement_is_allowed(definition, old, inputs, given)
        return inputs, _once([_hinted(fault, old, inputs) for fault in found])

    def placed(self, place: Literal["zone", "location"] | None, inputs: dict[str, Any]) -> Iterator[Fault]:
        """DiffConfig never answers replace, so project and location are written into the inputs."""
        for name in ("project", place) if place else ():
            if inputs.get(name) is not None:
                continue
            default = self.config.default(name)
            if default:
                inputs[name] = default
            else:
                yield Fault(
                    name,
                    f"is not set: give it here, as tpuserve:{name} in the stack's configuration, or in the environment "
                    f"({', '.join(ENVIRONMENT[name])})",
                )

    def _unreached(self, definition: Definition, inputs: Mapping[str, Any]) -> Iterator[Fault]:
        """Arguments that are sent over REST, where nobody said where that is."""
        given = said_over_rest(definition.shape, inputs)
        missing = Google(self.config.endpoints, self.config.access).no_rest(TPU) if given else ""
        yield from (Fault(wire, missing) for wire in given if missing)

    def _label(self, definition: Definition, inputs: dict[str, Any]) -> None:
        """The provider's default labels below the resource's own; nodes get them with the request, not here, so that
        another default is no change of what was asked for."""
        labels, defaults = inputs.get("labels", {}), self.config.default_labels
        if defaults and "labels" in definition.shape.by_wire() and isinstance(labels, Mapping):
            inputs["labels"] = {**defaults, **labels}

    def _name(
        self,
        definition: Definition,
        urn: str,
        old: Mapping[str, Any],
        inputs: dict[str, Any],
        naming: Autonaming,
        *,
        secrets: Collection[Path],
    ) -> Iterator[Fault]:
        argument = definition.id_argument
        if argument is None or inputs.get(argument) is not None:
            return
        if old.get(argument) and not self._is_another(definition, old, inputs):
            inputs[argument] = old[argument]
        elif naming.mode == "DISABLE":
            yield Fault(argument, "is not set, and this stack's pulumi:autonaming is disabled: give the id")
        elif naming.mode == "ENFORCE":
            inputs[argument] = naming.name
            rule = definition.shape.by_wire()[argument].field.check
            if rule and (message := rule(naming.name)):
                yield Fault(argument, f"{message} (the name is from pulumi:autonaming)")
        else:
            shown, before = redacted(inputs, secrets), old.get(argument, "")
            inputs[argument] = object_id(definition, urn, self.config.owner_id, shown, before)

    def _is_another(self, definition: Definition, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
        """Whether anything that forces a replacement differs, and not in its spelling alone."""
        before, after = self._canonical(definition, old), self._canonical(definition, new)
        return any(
            change.effect is Effect.REPLACE and change.path != definition.id_argument
            for change in changes(definition.shape, before, after)
        )

    def _canonical(self, definition: Definition, inputs: Mapping[str, Any]) -> Any:
        return canonical(definition.shape, inputs, self.numbers)

    def _serves_alone(self, definition: Definition, urn: str, inputs: Mapping[str, Any]) -> Iterator[Fault]:
        """Two Deployments of one program on one endpoint would undeploy each other's models."""
        endpoint = inputs.get("endpoint")
        if "deployedModels" not in definition.shape.by_wire() or not isinstance(endpoint, str):
            return
        name = canonical_name(endpoint, self.numbers)
        other = self.served.setdefault(name, urn)
        if other != urn:
            yield Fault(
                "endpoint",
                f"{endpoint} is served by {other.rsplit('::', 1)[-1]!r} already: one Deployment per endpoint; declare "
                "all its variants in one of the two",
            )

    def _replacement_is_allowed(
        self, definition: Definition, old: Mapping[str, Any], new: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Iterator[Fault]:
        """Asked for each argument that the program changed; an id of ours follows, and `recreate` asks for it itself.

        With an id of the user's own the old object goes first: then `recreate` alone does not agree to the outage.
        """
        if not old or "allowReplace" not in definition.shape.by_wire() or new.get("allowReplace"):
            return
        before, after = self._canonical(definition, old), self._canonical(definition, new)
        name = definition.id_argument or ""
        kept = name in given and old.get(name) == new.get(name)
        follows = ({name} - set(given)) | (set() if kept else {"recreate"})
        for change in changes(definition.shape, before, after):
            if change.effect is Effect.REPLACE and change.path not in follows and change.new is not UNKNOWN:
                yield Fault(
                    change.path,
                    f"the change from {change.old!r} to {change.new!r} needs a new {definition.token.split(':')[-1]}. "
                    f"{DELETE_FIRST if kept else BESIDE}; set allowReplace to true to agree",
                )


def _is_kept_id(definition: Definition, fault: Fault, old: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    """An id that the object has already is good: Google's own are longer than those it lets a user choose."""
    name = definition.id_argument
    return name is not None and fault.path == name and old.get(name) == inputs.get(name)


def _tolerant(inputs: dict[str, Any], malformed: set[str], found: list[Fault]) -> dict[str, Any]:
    """Inputs for the rules of several values: an argument of a wrong type is not known to them."""
    typed = {fault.path for fault in found if fault.message.startswith("expected ")}
    tops = {path.split(".")[0].split("[")[0] for path in typed} & malformed
    return {key: UNKNOWN if key in tops else value for key, value in inputs.items()}


def _hinted(fault: Fault, old: Mapping[str, Any], inputs: Mapping[str, Any]) -> Fault:
    """A split that stayed as it was while the variants changed is what `ignoreChanges` makes of it."""
    before, after = old.get("trafficSplit"), inputs.get("trafficSplit")
    if fault.path != "trafficSplit" or not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return fault
    if not set(before).issubset(after):
        return fault
    hint = (
        "the old shares are all still in it: ignoreChanges on trafficSplit puts them back, also for a removed variant"
    )
    return Fault(fault.path, f"{fault.message}; {hint}")


def _once(found: list[Fault]) -> list[Fault]:
    return list(dict.fromkeys(found))
