"""`python -m tpuserve.emulator`: serves until SIGTERM or SIGINT."""

import argparse
import asyncio
import json
import os
import re
import signal
import sys
from pathlib import Path

import msgspec

from tpuserve.emulator.emulator import Emulator, Stop
from tpuserve.emulator.errors import ApiError
from tpuserve.emulator.faces import Addresses
from tpuserve.emulator.fault_rules import Fault, read_flag
from tpuserve.emulator.settings import Settings, read_settings
from tpuserve.emulator.store import StateError, write_whole

_LAST_PORT = 65_535


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 after a clean end, 2 for settings, a state or a port that cannot be used."""
    given = _parser().parse_args(arguments)
    try:
        settings = read_settings(given.settings) if given.settings is not None else Settings()
    except (OSError, msgspec.DecodeError) as error:
        print(f"{given.settings}: {error}", file=sys.stderr)  # noqa: T201 - a command's own output
        return 2
    settings.faults += given.faults
    ports = {"port": given.port, "rest_port": given.rest_port, "console_port": given.console_port}
    emulator = Emulator(settings, state=given.state, tls=given.tls, **ports)
    try:
        asyncio.run(_serve(emulator, given.ready))
    except (ApiError, StateError, RuntimeError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command's own output
        return 2
    return 0


async def _serve(emulator: Emulator, ready_file: Path | None) -> None:
    stop = Stop()
    stop.bind(asyncio.get_running_loop())
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)

    def answering(address: str) -> None:
        told = emulator.addresses
        if ready_file is not None:
            others = {
                "rest": told.rest,
                "grpcTls": told.grpc_tls,
                "restTls": told.rest_tls,
                "console": emulator.console,
            }
            write_whole(ready_file, json.dumps({"address": address, **others, "pid": os.getpid()}) + "\n")
        said = f"{_served(told)}; console: {emulator.console}"
        print(said, flush=True)  # noqa: T201 - a command's own output

    await emulator.serve(answering, stop)


def _served(told: Addresses) -> str:
    rest = f"REST at http://{told.rest}" if told.rest else "no REST without tpuserve[emulator]"
    secure = [told.grpc_tls, f"https://{told.rest_tls}" if told.rest_tls else ""]
    tls = f"; with TLS: {', '.join(filter(None, secure))}" if told.grpc_tls else ""
    return f"serving gRPC at {told.grpc}, {rest}{tls}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tpuserve.emulator", description=__doc__)
    parser.add_argument("--port", type=_port, default=0, help="0, the default: any free one")
    parser.add_argument("--rest-port", type=_port, default=0, help="of REST; 0, the default: any free one")
    parser.add_argument(
        "--tls", type=Path, help="TLS as well, its certificates in this folder; clients trust its ca.pem"
    )
    parser.add_argument("--console-port", type=_port, default=0, help="of the page; 0, the default: any free one")
    parser.add_argument("--settings", type=Path, help="a JSON file, see docs/emulator.md")
    parser.add_argument("--state", type=Path, help="the file that everything is written through to")
    fault = "a fault from the start on, such as GetModel=UNAVAILABLE,times=3; may be given again; see docs/emulator.md"
    parser.add_argument("--fault", dest="faults", action="append", type=_fault, default=[], help=fault)
    parser.add_argument("--ready", type=Path, help="written when calls are answered: address and pid")
    return parser


def _port(text: str) -> int:
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0, any free one, or 1 to {_LAST_PORT}")
    return int(text)


def _fault(text: str) -> Fault:
    try:
        return read_flag(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


if __name__ == "__main__":
    sys.exit(main())
