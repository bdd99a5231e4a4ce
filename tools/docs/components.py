"""The arguments and outputs of the components in docs/components.md, from their classes."""

from __future__ import annotations

from collections.abc import Iterator

import tpuserve.components as built  # pyright: ignore[reportMissingImports]

from tpuserve.resources.fields import docs_of

BEGIN, END = "<!-- made by `python -m tools.docs resources` -->", "<!-- end -->"
COMPONENTS = (
    (built.TpuCollection, built.TpuCollectionArgs),
    (built.ServingModel, built.ServingModelArgs),
    (built.ServingEndpoint, built.ServingEndpointArgs),
    (built.ServingEnvironment, built.ServingEnvironmentArgs),
    (built.EncryptionKey, built.EncryptionKeyArgs),
    (built.ServingAccount, built.ServingAccountArgs),
    (built.ModelBucket, built.ModelBucketArgs),
    (built.RequestLog, built.RequestLogArgs),
    (built.ImageRepository, built.ImageRepositoryArgs),
    (built.HostNetwork, built.HostNetworkArgs),
    (built.StateStore, built.StateStoreArgs),
    (built.PipelineAccount, built.PipelineAccountArgs),
)
PARTS = {
    built.ServingEndpoint: ("Each of its `variants`:", built.VariantArgs),
    built.ServingEnvironment: ("Its `repository`:", built.RepositoryArgs),
    built.StateStore: ("Each of its `environments`:", built.StateEnvironmentArgs),
}
"""Arguments that are objects of a component's own."""


def with_reference(page: str) -> str:
    """`page` with the tables between their two marks."""
    head, _, rest = page.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"docs/components.md needs the lines {BEGIN} and {END}")
    return head + "\n".join([BEGIN, *reference(), "", END]) + tail


def reference() -> Iterator[str]:
    """The lines of all tables."""
    for component, arguments in COMPONENTS:
        yield from ("", f"### {component.__name__}", "", *_arguments(arguments))
        if component in PARTS:
            introduction, parts = PARTS[component]
            yield from ("", introduction, "", *_arguments(parts))
        yield from ("", "| output | |", "| --- | --- |")
        yield from (f"| `{name}` | {_cell(text)} |" for name, text in docs_of(component).items())


def _arguments(arguments: type) -> Iterator[str]:
    required: frozenset[str] = getattr(arguments, "__required_keys__", frozenset())
    yield from ("| argument | | |", "| --- | --- | --- |")
    for name, text in docs_of(arguments).items():
        yield f"| `{name}` | {'required' if name in required else ''} | {_cell(text)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
