"""What is asked of an emulator that runs, from any shell: its state, its logs, its faults."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import msgspec
from rich.table import Table

from tpuserve.cli import console
from tpuserve.cli.errors import UserError
from tpuserve.emulator import Control, ControlError

_LOOK = 0.3  # seconds between two looks at logs that are followed


@contextmanager
def _control(at: str) -> Iterator[Control]:
    """The emulator at HOST:PORT, or of the file that `run --ready` wrote."""
    with Control(_address(at)) as control:
        try:
            yield control
        except ControlError as error:
            raise UserError(str(error)) from None
        except grpc.RpcError:
            raise UserError(f"no emulator answers at {control.address}; `tpuserve emulator run` starts one") from None


def _address(at: str) -> str:
    path = Path(at)
    if not path.is_file():
        return at
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} is not what `tpuserve emulator run --ready` writes") from None


def show_status(at: str, as_json: bool) -> int:
    """Objects, running operations, quotas and faults."""
    with _control(at) as control:
        found = control.status()
    if as_json:
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    objects = found["objects"]
    _print("queued resource", ["state", "nodes", "accelerator"], [_request(one) for one in objects["queuedResources"]])
    _print("endpoint", ["deployed models", "traffic"], [_endpoint(one) for one in objects["endpoints"]])
    running = [one for one in found["operations"] if not one["done"]]
    _print("operation", ["on", "stage"], [[one["kind"], _short(one["target"]), one["stage"]] for one in running])
    _print("quota", ["place", "used", "limit"], [_quota(one) for one in found["quotas"]])
    _print("fault", ["met"], [*map(_fault, found["faults"]), *([f"{kind} held", ""] for kind in found["held"])])
    return 0


def show_logs(at: str, name: str, lines: int, follow: bool) -> int:
    """What processes wrote, each line after the name of its process where there are several."""
    with _control(at) as control:
        logs = control.logs(name, lines)
    named = len(logs) > 1
    for log in logs:
        _write(log["name"] if named else "", log["lines"])
    if follow:
        _follow({Path(log["path"]): log["name"] if named else "" for log in logs})
    return 0


def set_faults(at: str, specs: Sequence[str], hold: Sequence[str], release: Sequence[str], clear: bool) -> int:
    """Switches faults on and off, and lists those that are on."""
    from tpuserve.emulator.fault_rules import read_flag  # noqa: PLC0415

    try:
        faults = [_given(msgspec.to_builtins(read_flag(spec))) for spec in specs]
    except ValueError as error:
        raise UserError(str(error)) from None
    with _control(at) as control:
        if clear:
            control.clear_faults()
        if faults:
            control.plan(faults)
        for kind in hold:
            control.hold(kind)
        for kind in release:
            control.release(kind)
        found = control.status()
    _print("fault", ["met"], [*map(_fault, found["faults"]), *([f"{kind} held", ""] for kind in found["held"])])
    return 0


def reset(at: str) -> int:
    with _control(at) as control:
        control.reset()
    return 0


def stop(at: str) -> int:
    with _control(at) as control:
        control.shutdown()
    return 0


def _follow(paths: dict[Path, str]) -> None:
    """Goes on with what is written from now on, until Ctrl-C or until the logs are gone."""
    read = {path: path.stat().st_size for path in paths if path.exists()}
    try:
        while any(path.exists() for path in paths):
            for path in [path for path in read if path.exists()]:
                with path.open("rb") as file:
                    file.seek(read[path])
                    whole = file.read().rpartition(b"\n")[0]
                if whole:
                    read[path] += len(whole) + 1
                    _write(paths[path], whole.decode(errors="replace").splitlines())
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        return


def _write(name: str, lines: Sequence[str]) -> None:
    before = f"{_short(name.partition('/deployedModels/')[2] or name)}: " if name else ""
    sys.stdout.writelines(f"{before}{line}\n" for line in lines)
    sys.stdout.flush()


def _print(noun: str, others: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table, or one line that says there is none."""
    if not rows:
        sys.stdout.write(f"no {noun}\n")
        return
    table = Table(noun, *others, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*row)
    console.make().print(table)


def _request(found: dict[str, Any]) -> list[str]:
    return [_short(found["name"]), found["state"], str(found["nodeCount"]), found["acceleratorType"]]


def _endpoint(found: dict[str, Any]) -> list[str]:
    split = ", ".join(f"{share} % {key}" for key, share in found["trafficSplit"].items())
    return [_short(found["name"]), str(len(found["deployedModels"])), split or "none"]


def _quota(found: dict[str, Any]) -> list[str]:
    limit = found.get("limit")
    return [found["quota"], found["location"], str(found["used"]), "none" if limit is None else str(limit)]


def _fault(found: dict[str, Any]) -> list[str]:
    return [f"{found['name']}: {found['code'] or found['effect']}", str(found["hits"])]


def _given(fault: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fault.items() if value is not None}


def _short(name: str) -> str:
    return name.rpartition("/")[2]
