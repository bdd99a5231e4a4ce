"""A program of this process as the engine runs it.

The Automation API's own language server leaves its event loop open when the engine is killed: its last lines are
for an engine that is gone. This one closes it, and its connections: those to engines that are gone are shared, so that
a later engine on one of their ports is taken for gone.
"""

import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
from pulumi import log
from pulumi.automation._server import LanguageServer
from pulumi.runtime import run_in_stack, set_all_config
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import engine_pb2_grpc, language_pb2, language_pb2_grpc, resource_pb2_grpc
from pulumi.runtime.settings import Settings, configure

Program = Callable[[], None]


class Served:
    """A program on a port of its own until `stop`."""

    def __init__(self, program: Program) -> None:
        self._threads = futures.ThreadPoolExecutor(max_workers=4)
        self._server = grpc.server(self._threads)
        self._language = _Language(program)
        language_pb2_grpc.add_LanguageRuntimeServicer_to_server(self._language, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()
        self.flags = (f"--client=127.0.0.1:{port}", "--exec-kind=auto.inline")
        """What leads the engine to it."""

    def stop(self) -> None:
        """The engine is gone: what the program still waits for never comes."""
        self._language.cancel()
        self._server.stop(0)
        self._threads.shutdown()


class _Language(LanguageServer):
    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._waiting: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None

    def cancel(self) -> None:
        if self._waiting:
            loop, task = self._waiting
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(task.cancel)

    def Run(self, request: Any, context: Any) -> Any:  # noqa: N802
        return contextvars.copy_context().run(self._run, request)

    def _run(self, request: Any) -> Any:
        with _connected(request.monitor_address) as monitor, _connected(request.args[0]) as engine:
            settings = Settings(
                project=request.project,
                stack=request.stack,
                monitor=resource_pb2_grpc.ResourceMonitorStub(monitor),
                engine=engine_pb2_grpc.EngineStub(engine),
                parallel=request.parallel,
                dry_run=request.dryRun,
                organization=request.organization,
            )
            configure(settings)
            set_all_config(dict(request.config), request.configSecretKeys)
            try:
                with _loop() as loop:
                    task = loop.create_task(run_in_stack(self.program))
                    self._waiting = loop, task
                    loop.run_until_complete(task)
            except (Exception, asyncio.CancelledError) as error:
                with contextlib.suppress(grpc.RpcError):  # the engine is gone
                    log.error(str(error))
                return language_pb2.RunResponse(error=str(error))
        return language_pb2.RunResponse()


@contextlib.contextmanager
def _connected(address: str) -> Iterator[grpc.Channel]:
    options = [*_GRPC_CHANNEL_OPTIONS, ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(address, options=options) as channel:
        yield channel


@contextlib.contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)  # what the program waits for when the engine is gone
    try:
        yield loop
    finally:
        for task in asyncio.all_tasks(loop):
            task.cancel()
            loop.run_until_complete(asyncio.wait({task}))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
