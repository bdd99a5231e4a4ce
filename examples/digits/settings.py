"""What the server is told: by Vertex AI's AIP_* variables, and by arguments that take their place."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

WEIGHTS_FILE = "weights.npz"
IMAGE_WEIGHTS = Path(__file__).parent


class SettingsError(Exception):
    """One or more settings are wrong; `faults` has one line for each, beginning with the setting's name."""

    def __init__(self, faults: list[str]) -> None:
        """Keep the faults; the message has one a line."""
        self.faults = faults
        super().__init__("\n".join(faults))


class Settings(NamedTuple):
    """Checked settings; `weights` is a file that exists, `model_version` may be empty (then the weights' hash)."""

    host: str
    port: int
    health_route: str
    predict_route: str
    weights: Path
    model_version: str


def parser() -> argparse.ArgumentParser:
    """The command line; every argument has a variable of the environment that it takes the place of."""
    made = argparse.ArgumentParser("examples.digits.server", description="serve the digits model over HTTP")
    made.add_argument("--host", help="address to listen on (DIGITS_HOST; 127.0.0.1); 0.0.0.0 in a container")
    made.add_argument("--port", help="port to listen on (AIP_HTTP_PORT; 8080); 0 takes a free one")
    made.add_argument("--health-route", help="path of the health route (AIP_HEALTH_ROUTE; /health)")
    made.add_argument("--predict-route", help="path of the predict route (AIP_PREDICT_ROUTE; /predict)")
    made.add_argument(
        "--weights", help="folder of the weights: a path, file:// or gs:// (AIP_STORAGE_URI; the image's)"
    )
    made.add_argument(
        "--artifact-mount", help="folder that holds mounted buckets by name (DIGITS_ARTIFACT_MOUNT; /gcs)"
    )
    made.add_argument("--model-version", help="name returned as served_by (DIGITS_MODEL_VERSION; weights-<hash>)")
    return made


SOURCES = {  # argument: (variable, default)
    "host": ("DIGITS_HOST", "127.0.0.1"),
    "port": ("AIP_HTTP_PORT", "8080"),
    "health_route": ("AIP_HEALTH_ROUTE", "/health"),
    "predict_route": ("AIP_PREDICT_ROUTE", "/predict"),
    "weights": ("AIP_STORAGE_URI", ""),
    "artifact_mount": ("DIGITS_ARTIFACT_MOUNT", "/gcs"),
    "model_version": ("DIGITS_MODEL_VERSION", ""),
}


def read(arguments: list[str], environment: Mapping[str, str]) -> Settings:
    """Settings from arguments, else from the environment, else the defaults; an empty value counts as not given.

    Raises `SettingsError` with all faults at once.
    """
    given = vars(parser().parse_args(arguments))
    values = {
        name: given[name] or environment.get(variable) or default for name, (variable, default) in SOURCES.items()
    }
    folder = _folder(values["weights"], Path(values["artifact_mount"]))
    faults = [*_port_faults(values["port"]), *_route_faults(values), *_weights_faults(values["weights"], folder)]
    if faults:
        raise SettingsError(faults)
    routes = values["health_route"], values["predict_route"]
    return Settings(values["host"], int(values["port"]), *routes, folder / WEIGHTS_FILE, values["model_version"])


def _folder(location: str, mount: Path) -> Path:
    """Where a path, a file:// or a gs:// location is on this machine; the image's own folder if none is given."""
    parts = urlsplit(location)
    match parts.scheme:
        case "file":
            return Path(unquote(parts.path))
        case "gs":
            return mount / parts.netloc / parts.path.strip("/")
        case _:
            return Path(location) if location else IMAGE_WEIGHTS


def _port_faults(port: str) -> Iterator[str]:
    if not (port.isascii() and port.isdigit() and int(port) <= 65535):
        yield f"--port (AIP_HTTP_PORT): {port!r}, a port from 0 to 65535 is needed"


def _route_faults(values: Mapping[str, str]) -> Iterator[str]:
    for name in ("health_route", "predict_route"):
        if not values[name].startswith("/"):
            yield f"--{name.replace('_', '-')} ({SOURCES[name][0]}): {values[name]!r} does not begin with /"
    if values["health_route"] == values["predict_route"]:
        yield f"--health-route, --predict-route: both are {values['health_route']!r}, two paths are needed"


def _weights_faults(location: str, folder: Path) -> Iterator[str]:
    parts = urlsplit(location)
    if parts.scheme not in {"", "file", "gs"}:
        yield f"--weights (AIP_STORAGE_URI): {location!r} is no path, file:// or gs:// location"
    elif parts.scheme == "file" and parts.netloc not in {"", "localhost"}:
        yield f"--weights (AIP_STORAGE_URI): {location!r} is on host {parts.netloc!r}, file:///absolute/path is needed"
    elif not (folder / WEIGHTS_FILE).is_file():
        yield f"--weights (AIP_STORAGE_URI): no {WEIGHTS_FILE} in {folder}{_advice(location, folder)}"


def _advice(location: str, folder: Path) -> str:
    if not location.startswith("gs://"):
        return ""
    return (
        f", where {location} is looked for: this server reads files only. Mount the bucket there (Cloud Storage FUSE),"
        f" or copy it (gcloud storage cp --recursive {location.rstrip('/')}/* {folder}/), or leave the artifact URI"
        " out: the image has weights of its own"
    )
