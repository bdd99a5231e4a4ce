"""What a program's call of a function does: arguments in snake_case to the provider, its answer as the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pulumi

from tpuserve.resources.base import inputs_to_wire
from tpuserve.resources.functions.definition import Function
from tpuserve.resources.wire import to_snake


def invoke(function: Function, args: Mapping[str, Any], opts: pulumi.InvokeOptions | None) -> Any:
    """The result at once; arguments must be plain values. Raises pulumi.RunError with what the provider says."""
    for name, value in args.items():
        if isinstance(value, pulumi.Output):
            raise pulumi.RunError(
                f"{function.token}: {name} is an output, which is not known yet; call the function that ends in _output"
            )
    try:
        answer = pulumi.runtime.invoke(function.token, inputs_to_wire(function.shape, args), opts)
    except Exception as error:
        # The SDK raises nothing narrower, and its own class would show the user a traceback.
        raise pulumi.RunError(str(error)) from None
    return result_of(function, answer.value)


def invoke_output(
    function: Function, args: Mapping[str, Any], opts: pulumi.InvokeOptions | pulumi.InvokeOutputOptions | None
) -> pulumi.Output[Any]:
    """The result as an output, unknown while an argument is; arguments may be outputs."""
    answer = pulumi.runtime.invoke_output(function.token, inputs_to_wire(function.shape, args), opts)
    return answer.apply(lambda value: result_of(function, value))


def result_of(function: Function, answer: Mapping[str, Any]) -> Any:
    """The provider's answer as the function's result."""
    return function.result(**to_snake(function.result_shape, answer))
