"""`ConverterOptions` as far as the serving container knows it, read by protobuf's own parser of the text format."""

import shlex
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format

_FIELD = descriptor_pb2.FieldDescriptorProto


def aliases_of(text: str) -> list[str]:
    """The function aliases in options in the text format; text_format.ParseError if they are none."""
    return [function.function_alias for function in text_format.Parse(text, _message()).tpu_functions]


def unquoted(value: str) -> str:
    """What a shell makes of an argument's value: one word, without its quotes."""
    [word] = shlex.split(value)
    return word


def _message() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="converter_options.proto", package="tests", syntax="proto3")
    function = file.message_type.add(name="TpuFunction")
    function.field.add(name="function_alias", number=1, type=_FIELD.TYPE_STRING, label=_FIELD.LABEL_OPTIONAL)
    options = file.message_type.add(name="ConverterOptions")
    options.field.add(
        name="tpu_functions",
        number=1,
        type=_FIELD.TYPE_MESSAGE,
        label=_FIELD.LABEL_REPEATED,
        type_name=".tests.TpuFunction",
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tests.ConverterOptions"))()
