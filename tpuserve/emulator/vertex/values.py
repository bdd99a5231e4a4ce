"""google.protobuf.Value to Python and back, without the detour over JSON that a prediction cannot afford."""

from typing import Any

from google.protobuf.struct_pb2 import Value


def python_of(value: Value) -> Any:
    """The value as json would read it; whole numbers as int, as Google writes them in JSON (assumed)."""
    kind = value.WhichOneof("kind")
    if kind == "number_value":
        number = value.number_value
        return int(number) if number.is_integer() else number
    if kind == "list_value":
        return [python_of(item) for item in value.list_value.values]
    if kind == "struct_value":
        return {key: python_of(item) for key, item in value.struct_value.fields.items()}
    if kind == "bool_value":
        return value.bool_value
    return value.string_value if kind == "string_value" else None


def fill(value: Value, found: Any) -> Value:
    """Sets a value to what json has read, and returns it."""
    if isinstance(found, bool):
        value.bool_value = found
    elif isinstance(found, (int, float)):
        value.number_value = found
    elif isinstance(found, str):
        value.string_value = found
    elif isinstance(found, list):
        value.list_value.SetInParent()
        for item in found:
            fill(value.list_value.values.add(), item)
    elif isinstance(found, dict):
        value.struct_value.SetInParent()
        for key, item in found.items():
            fill(value.struct_value.fields[key], item)
    else:
        value.null_value = 0  # type: ignore[assignment]
    return value
