"""`python -m tools.emulator_figures`: what an emulator of its own process costs; figures for docs/measurements.md.

Processor time is the emulator's own, from /proc, so that what else the machine does counts little.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from tpuserve.emulator import Control
from tpuserve.emulator.messages import tpu, vertex

PARENT = "projects/tpuserve-local/locations/us-east5"
SERVICES = "/google.cloud.aiplatform.v1"
FIRST = {
    "/google.cloud.tpu.v2alpha1.Tpu/ListQueuedResources": tpu("ListQueuedResourcesRequest")(parent=f"{PARENT}-b"),
    f"{SERVICES}.EndpointService/ListEndpoints": vertex("ListEndpointsRequest")(parent=PARENT),
}
REQUESTS, OPEN = 5000, 1000


@contextmanager
def started() -> Iterator[tuple[str, int, float]]:
    """Address, pid, and the seconds from the start of the process to the first answer of each API."""
    with tempfile.TemporaryDirectory() as folder:
        ready, begun = Path(folder) / "ready.json", time.monotonic()
        state = ["--state", str(Path(folder) / "state.json")]
        process = subprocess.Popen([sys.executable, "-m", "tpuserve.emulator", *state, "--ready", str(ready)])
        try:
            while not ready.exists():
                time.sleep(0.002)
            address = json.loads(ready.read_text())["address"]
            with grpc.insecure_channel(address) as channel:
                for path, request in FIRST.items():
                    unary(channel, path, request)(request)
            yield address, process.pid, time.monotonic() - begun
        finally:
            process.terminate()
            process.wait()


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def unary(channel: Any, path: str, request: Any) -> Any:
    return channel.unary_unary(path, request_serializer=type(request).SerializeToString)


def upload(number: int) -> Any:
    model = {"display_name": "digits", "container_spec": {"image_uri": "image"}}
    return vertex("UploadModelRequest")(parent=PARENT, model_id=f"m{number}", model=model)


def main() -> None:
    with started() as (address, pid, first), grpc.insecure_channel(address) as channel, Control(address) as control:
        spent = f"{processor_seconds(pid):.2f} s of the processor"
        told(f"first answers {first:.2f} s after the start of the process, {spent}, {megabytes(pid):.0f} MB")
        missing = vertex("GetModelRequest")(name=f"{PARENT}/models/m0")
        begin = unary(channel, f"{SERVICES}.ModelService/UploadModel", upload(0))
        begin(upload(0))
        read = unary(channel, f"{SERVICES}.ModelService/GetModel", missing)
        rate(pid, "reads", REQUESTS, lambda _: read.future(missing))
        control.hold("upload_model")
        rate(pid, "uploads begun, each written to the state", OPEN, lambda number: begin.future(upload(number + 1)))
        told(f"{len(control.objects()['operations'])} operations open: {megabytes(pid):.0f} MB")
        began = time.monotonic()
        control.reset()
        told(f"reset of them all in {(time.monotonic() - began) * 1000:.0f} ms")


def rate(pid: int, what: str, count: int, call: Any) -> None:
    before = processor_seconds(pid)
    for first in range(0, count, 50):
        for future in [call(first + index) for index in range(50)]:
            future.result()
    told(f"{count / (processor_seconds(pid) - before):.0f} {what} a second of one core")


def told(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's own output


if __name__ == "__main__":
    main()
