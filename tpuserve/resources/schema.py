"""The package schema of the provider, derived from the resources' definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tpuserve.resources import deployment, endpoint, model, provider, queued_resource
from tpuserve.resources.definition import Definition
from tpuserve.resources.fields import Shape, camel, docs_of, shape_of
from tpuserve.resources.functions import FUNCTIONS
from tpuserve.resources.functions.definition import Function

PYTHON_NAME = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
DEFINITIONS = (queued_resource.DEFINITION, model.DEFINITION, endpoint.DEFINITION, deployment.DEFINITION)


def schema(
    version: str, definitions: tuple[Definition, ...] = DEFINITIONS, functions: tuple[Function, ...] = FUNCTIONS
) -> dict[str, Any]:
    """The whole package schema, as GetSchema answers it."""
    settings = _properties(provider.SHAPE, "index")["properties"]
    for name, variables in provider.ENVIRONMENT.items():
        settings[name]["description"] += f" Else {', '.join(variables)}."
    return {
        "name": "tpuserve",
        "displayName": "TPU serving",
        "version": version,
        "description": "TPU collections and Vertex AI models, endpoints and deployments on Google Cloud",
        "keywords": ["pulumi", "google-cloud", "tpu", "vertex-ai", "kind/native"],
        "config": {"variables": settings},
        "provider": {"inputProperties": settings},
        "resources": {definition.token: _resource(definition) for definition in definitions},
        "functions": {function.token: _function(function) for function in functions},
        "types": _types(definitions, functions),
    }


def spelled(text: str) -> str:
    """A docstring's words with the names of arguments as the wire has them: `node_id` is `nodeId`."""
    return PYTHON_NAME.sub(lambda name: f"`{camel(name[1])}`", text)


def _resource(definition: Definition) -> dict[str, Any]:
    module = definition.token.split(":")[1]
    inputs = _properties(definition.shape, module)
    # Inputs come back as outputs, but where an output of the same name says more.
    outputs = {**inputs["properties"], **_properties(definition.output_shape, module)["properties"]}
    return {
        "description": spelled(definition.doc),
        "inputProperties": inputs["properties"],
        "requiredInputs": inputs["required"],
        "properties": outputs,
        "required": sorted({*inputs["required"], *(a.wire for a in definition.output_shape.arguments)}),
    }


def _function(function: Function) -> dict[str, Any]:
    module = function.token.split(":")[1]
    result = _properties(function.result_shape, module)
    return {
        "description": spelled(function.doc),
        "inputs": {"type": "object", **_properties(function.shape, module)},
        "outputs": {"type": "object", **result, "required": sorted(result["properties"])},
    }


def _properties(shape: Shape, module: str) -> dict[str, Any]:
    assert shape.typed_dict is not None
    docs = docs_of(shape.typed_dict)
    properties = {}
    for argument in shape.arguments:
        effect = argument.field.effect
        text = spelled(docs.get(argument.name, ""))
        said = f"{text} A change {effect.value}." if effect else text
        properties[argument.wire] = {"description": said, **_type(argument.shape, module)}
        if argument.field.secret:
            properties[argument.wire]["secret"] = True
    return {"properties": properties, "required": sorted(a.wire for a in shape.arguments if a.required)}


def _type(shape: Shape, module: str) -> dict[str, Any]:
    if shape.kind == "object":
        return {"$ref": f"#/types/{_token(shape, module)}"}
    if shape.kind == "map" and shape.item:
        return {"type": "object", "additionalProperties": _type(shape.item, module)}
    if shape.kind == "list" and shape.item:
        return {"type": "array", "items": _type(shape.item, module)}
    return {"type": shape.kind}


def _token(shape: Shape, module: str) -> str:
    assert shape.typed_dict is not None
    return f"tpuserve:{module}:{shape.typed_dict.__name__.removesuffix('Args').removesuffix('Output')}"


def _types(definitions: tuple[Definition, ...], functions: tuple[Function, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    whole = [("tpuserve:index:Provider", provider.SHAPE, provider.SHAPE)]
    whole += [(each.token, each.shape, each.output_shape) for each in definitions]
    whole += [(each.token, each.shape, each.result_shape) for each in functions]
    for owner, given, answered in whole:
        module = owner.split(":")[1]
        for shape in (*_objects(given), *_objects(answered)):
            assert shape.typed_dict is not None
            token = _token(shape, module)
            body = {"type": "object", "description": spelled((shape.typed_dict.__doc__ or "").strip())}
            body |= _properties(shape, module)
            if found.setdefault(token, body) != body:
                raise TypeError(f"two types are called {token}: rename the TypedDict of one")
    return dict(sorted(found.items()))


def _objects(shape: Shape) -> Iterator[Shape]:
    """Every object below `shape`, once for each place."""
    children = [argument.shape for argument in shape.arguments] + ([shape.item] if shape.item else [])
    for child in children:
        if child.kind == "object" and child.typed_dict:
            yield shape_of(child.typed_dict)
        yield from _objects(child)
