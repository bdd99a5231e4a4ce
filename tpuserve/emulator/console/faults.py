"""Faults: those that are switched on, and forms that switch more on."""

from collections.abc import Iterable, Mapping
from typing import Any

from tpuserve.emulator.console.markup import Child, Markup, element, join
from tpuserve.emulator.console.parts import badge, button, note
from tpuserve.emulator.errors import Code
from tpuserve.emulator.operation import HIDDEN_KINDS, KINDS

Object = Mapping[str, Any]


def faults(found: list[Any], held: list[str]) -> Markup:
    """What is switched on now, each with how often it was met."""
    if not found and not held:
        return note("Nothing is told to fail.")
    rules = (element("li", _words(rule), badge(_met(rule), "good" if rule["hits"] else "busy")) for rule in found)
    holds = (element("li", f"{_plain(kind)} held", button("Release", "release", {"kind": kind})) for kind in held)
    return element("ul", *rules, *holds, class_="faults")


def forms(methods: Iterable[str], virtual: bool) -> Markup:
    """What can be switched on. The fields are those of `Control`."""
    codes = [code.name for code in Code if code is not Code.OK]
    kinds = [*KINDS, *HIDDEN_KINDS]
    times = element("input", type="number", name="times", value=1, min=-1, max=1000, required=True)
    return join(
        _form(
            "fail", "Fail calls",
            _field("Method", _select("name", sorted(methods))),
            _field("Code", _select("code", codes, "UNAVAILABLE")),
            _field("Times, -1 for always", times),
        ),
        _form(
            "fail_operation", "Fail operations",
            _field("Kind", _select("name", kinds, "deploy_model")),
            _field("Code", _select("code", codes, "RESOURCE_EXHAUSTED")),
        ),
        _form("hold", "Hold operations", _field("Kind", _select("kind", kinds, "deploy_model"))),
        _form("advance", "Advance the clock", _field("Seconds", _seconds())) if virtual else None,
        _form("clear_faults", "Clear all faults"),
        _form("reset", "Reset the emulator"),
    )  # fmt: skip


def _words(rule: Object) -> str:
    phase = " after its effect" if rule["phase"] == "after" else ""
    times = "always" if rule["times"] < 0 else f"{rule['times']} times" if rule["times"] > 1 else "once"
    return f"{_plain(rule['name'])} {times} {rule['code'] or rule['effect']}{phase}"


def _met(rule: Object) -> str:
    return "not met yet" if not rule["hits"] else "met once" if rule["hits"] == 1 else f"met {rule['hits']} times"


def _plain(kind: str) -> str:
    return kind.replace("_", " ")


def _seconds() -> Markup:
    return element("input", type="number", name="seconds", value=60, min=0, step="any", required=True)


def _select(field: str, values: Iterable[str], chosen: str = "") -> Markup:
    options = (element("option", value, selected=value == chosen) for value in values)
    return element("select", *options, name=field)


def _field(label: str, control: Markup) -> Markup:
    return element("label", element("span", label), control)


def _form(command: str, label: str, *fields: Child) -> Markup:
    return element(
        "form", *fields, element("button", label, type="submit"), method="post", action=f"/control/{command}",
        class_="fault",
    )  # fmt: skip
