"""A value for any field of any message, made from its descriptor alone."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor

_NUMBERS = {FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE}
_DEPTH = 2


def fill(message: Any, field: FieldDescriptor, depth: int = 0) -> None:
    """Sets a field of the message to something that is not its default."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        getattr(message, field.name)["key"] = _scalar(field.message_type.fields_by_name["value"])
    elif field.message_type is not None:
        part = getattr(message, field.name)
        part = part.add() if field.label == FieldDescriptor.LABEL_REPEATED else part
        part.SetInParent()
        if depth < _DEPTH and field.message_type.fields:
            fill(part, field.message_type.fields[0], depth + 1)
    elif field.label == FieldDescriptor.LABEL_REPEATED:
        getattr(message, field.name).append(_scalar(field))
    else:
        setattr(message, field.name, _scalar(field))


def _scalar(field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return field.enum_type.values[len(field.enum_type.values) // 2].number
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return b"x" if field.type == FieldDescriptor.TYPE_BYTES else "x"
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return True
    return 0.5 if field.cpp_type in _NUMBERS else 1
