"""What the components on the bridged Google provider share: its package, identifiers, and who is let in."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import pulumi

from tpuserve import catalog
from tpuserve.catalog import Fault

from .inputs import settled

IDENTIFIERS = {
    "project": "project",
    "service_project": "project",
    "project_number": "projectNumber",
    "location": "region",
    "region": "region",
    "account_id": "accountId",
    "dataset_id": "datasetId",
}
"""Arguments of that name, each with what kind of identifier it is."""


class _Later:
    """Stands for a module of the package where types are named: Pulumi resolves the annotations of a component."""

    def __getattr__(self, name: str) -> Any:
        return Any


LATER = _Later()


def gcp(module: str) -> Any:
    """One module of the package, imported when a component first needs it: the package takes a second."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # functions of the package's own, defined at import
            found = import_module(f"pulumi_gcp.{module}")
            getattr(found, module, None)  # it is loaded when an attribute is asked for
            return found
    except ImportError:
        raise pulumi.RunError("this component makes resources of pulumi-gcp: pip install pulumi-gcp") from None


def common_faults(args: Mapping[str, Any]) -> Iterator[Fault]:
    """What is wrong with identifiers and labels, as far as they are known: the bridged provider leaves it to Google."""
    for name, kind in IDENTIFIERS.items():
        if args.get(name) is not None and (fault := catalog.check_resource_id(kind, settled(args[name]))):
            yield Fault(name, fault)
    labels = args.get("labels")
    if isinstance(labels, Mapping):
        known = {key: settled(value) for key, value in labels.items()}
        yield from (Fault(f"labels.{key}", fault) for key, fault in catalog.check_labels(known))


def let_in(members: Mapping[str, Any] | None, noun: str, make: Callable[[str, Any], Any]) -> dict[str, Any]:
    """One grant for each member, by the end of its name, `<member>-<noun>`: `make` is given that and the member."""
    return {(end := f"{name}-{noun}"): make(end, member) for name, member in (members or {}).items()}


def after(value: pulumi.Output[Any], *resources: pulumi.Resource) -> pulumi.Output[Any]:
    """The value, known when these resources are there: whoever takes it is made after them."""
    return pulumi.Output.all(value, *(each.urn for each in resources)).apply(lambda known: known[0])
