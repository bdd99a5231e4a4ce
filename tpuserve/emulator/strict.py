"""What no method accepts: an enum's number that has no name, a field that the message does not have."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.unknown_fields import UnknownFieldSet

from tpuserve.emulator.errors import invalid, one_of


def checked(message: Any, path: str = "") -> None:
    """INVALID_ARGUMENT with the path of the first such value. assumed: Google's servers refuse both."""
    unknown = [field.field_number for field in UnknownFieldSet(message)]
    if unknown:
        raise invalid(path or "request", f"unknown field {unknown[0]}", f"a field of {message.DESCRIPTOR.full_name}")
    for field, value in message.ListFields():
        _check_field(field, value, f"{path}.{field.name}" if path else field.name)


def _check_field(field: FieldDescriptor, value: Any, path: str) -> None:
    if field.enum_type is not None:
        _check_enum(field, value, path)
    elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
        repeated = field.label == FieldDescriptor.LABEL_REPEATED
        for index, part in enumerate(value if repeated else [value]):
            checked(part, f"{path}[{index}]" if repeated else path)


def _check_enum(field: FieldDescriptor, value: Any, path: str) -> None:
    known = field.enum_type.values_by_number
    for number in [value] if isinstance(value, int) else value:
        if number not in known:
            raise one_of(path, number, [item.name for item in known.values()])
