"""What the components share: arguments checked by name, and maps merged whether or not they are known yet."""

from collections.abc import Awaitable, Iterable, Mapping
from typing import Any

import pulumi

from tpuserve.catalog import UNKNOWN, Fault
from tpuserve.catalog.words import did_you_mean, listed


def check_arguments(
    component: str, name: str, arguments: type, given: Mapping[str, Any], more: Iterable[Fault] = ()
) -> None:
    """Refuse arguments that the component does not have and miss those it needs, all at once, and `more` with them.

    A TypedDict is not checked when the program runs, and a mistyped name would else change nothing in silence.
    """
    known, required = arguments.__annotations__, getattr(arguments, "__required_keys__", frozenset())
    faults = [f"{key}: unknown argument{did_you_mean(key, known)}" for key in given if key not in known]
    faults += [f"{key}: missing" for key in known if key in required and given.get(key) is None]
    faults += [str(fault) for fault in more]
    if faults:
        lines = "\n".join(f"  {fault}" for fault in faults)
        raise pulumi.RunError(f"{component} {name!r} cannot be built; its arguments are {listed(known)}:\n{lines}")


def settled(value: Any) -> Any:
    """The value, or `UNKNOWN` where it is an Output or awaited."""
    return UNKNOWN if isinstance(value, (pulumi.Output, Awaitable)) else value


def merged(*maps: Any) -> Any:
    """One map of several, the later winning; None stands for an empty one, and Outputs are waited for."""
    given = [each for each in maps if each is not None]
    if not given:
        return None
    if all(isinstance(each, Mapping) for each in given):
        return {key: value for each in given for key, value in each.items()}
    return pulumi.Output.all(*given).apply(lambda known: merged(*known))


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values less those left out."""
    return {key: value for key, value in values.items() if value is not None}


def picked(args: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Those arguments that are given, under their own names."""
    return given({name: args.get(name) for name in names})
