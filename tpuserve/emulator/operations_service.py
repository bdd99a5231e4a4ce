"""google.longrunning.Operations: get, list, wait."""

from typing import Any

from google.longrunning import operations_pb2
from google.protobuf.empty_pb2 import Empty

from tpuserve.emulator.core import Core
from tpuserve.emulator.errors import invalid
from tpuserve.emulator.operation import Operation, wire
from tpuserve.emulator.paging import page

# WaitOperationRequest.timeout: without one, as long as the protocol allows; here a minute, then the caller asks again
_LONGEST_WAIT = 60.0
_FILTERS = {"": None, "done=true": True, "done:true": True, "done=false": False, "done:false": False}


class OperationsService:
    """One namespace for the operations of both APIs: their names tell them apart."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def get_operation(self, request: Any) -> Any:
        return wire(self._found(request.name))

    def list_operations(self, request: Any) -> Any:
        """Of a resource, or of a location and all below it (assumed)."""
        if request.filter.replace(" ", "") not in _FILTERS:  # assumed: clients of this emulator filter by done alone
            raise invalid("filter", request.filter, "done=true, done=false or nothing")
        done = _FILTERS[request.filter.replace(" ", "")]
        parent = self._core.any_name(request.name.removesuffix("/operations"))
        found = [operation for operation in self._core.operations.listed(str(parent)) if done in {None, operation.done}]
        chosen, token = page(found, request.page_size, request.page_token)
        listed = [wire(operation) for operation in chosen]
        return operations_pb2.ListOperationsResponse(operations=listed, next_page_token=token)

    async def wait_operation(self, request: Any) -> Any:
        """The latest state when the operation ends or the timeout does, whichever comes first."""
        seconds = request.timeout.ToNanoseconds() / 1e9 if request.HasField("timeout") else _LONGEST_WAIT
        return await self._core.operations.wait(self._found(request.name), min(seconds, _LONGEST_WAIT))

    def cancel_operation(self, request: Any) -> Empty:
        self._core.operations.cancel(self._found(request.name))
        return Empty()

    def delete_operation(self, request: Any) -> Empty:
        self._core.operations.forget(self._found(request.name))
        return Empty()

    def _found(self, text: str) -> Operation:
        return self._core.operations.found(str(self._core.any_name(text)))
