"""What an emulator is told when it starts: projects, durations, switches, and which command an image stands for."""

import os
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from tpuserve.emulator.callers import every
from tpuserve.emulator.fault_rules import Fault
from tpuserve.emulator.permissions import permissions
from tpuserve.emulator.quota.tables import QUOTAS

DEFAULT_PROJECT = "tpuserve-local"


class Durations(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """How long each step takes, in seconds. All 0 unless said otherwise: the step ends as soon as it was committed."""

    upload_model: float = 0
    delete_model: float = 0
    delete_model_version: float = 0
    create_endpoint: float = 0
    update_endpoint: float = 0
    delete_endpoint: float = 0
    deploy_stage: float = 0  # each of the stages of a deployment
    undeploy_model: float = 0
    mutate_deployed_model: float = 0
    qr_creating: float = 0
    qr_waiting: float = 0
    qr_provisioning: float = 0
    qr_suspending: float = 0
    qr_deleting: float = 0
    qr_resetting: float = 0
    delete_node: float = 0
    maintenance: float = 0  # each node


class Launch(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What runs in place of a container image or a startup script: a command or a builtin, exactly one of them.

    `command` and `env` expand $(NAME) from the variables of the process. `builtin` needs no process: `echo` is healthy
    at once and answers each instance with the version that served it; `unhealthy` is never ready.
    `health_route` is for scripts only: where given, a node is READY when it answers 200, or after `health_timeout`.
    """

    command: list[str] = []
    builtin: Literal["", "echo", "unhealthy"] = ""
    env: dict[str, str] = {}
    cwd: str = ""
    health_route: str = ""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.builtin):
            raise ValueError("exactly one of command and builtin must be given")


Chips = Annotated[int, msgspec.Meta(ge=0)]


class Settings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Every setting has a default that suits tests; `docs/emulator.md` says what each stands for."""

    projects: dict[str, int] = msgspec.field(default_factory=lambda: {DEFAULT_PROJECT: 100000000001})
    images: dict[str, Launch] = {}
    default_image: Launch = msgspec.field(default_factory=lambda: Launch(builtin="echo"))
    scripts: dict[str, Launch] = {}  # by the SHA-256, in hex, of the startup script
    durations: Durations = msgspec.field(default_factory=Durations)
    clock: Literal["real", "virtual", "instant"] = "real"
    clock_speed: Annotated[float, msgspec.Meta(gt=0)] = 1  # of the real clock: how many times as fast
    seed: int = 0
    health_timeout: float = 30.0  # seconds a process has until its health route answers 200
    predict_timeout: float = 60.0
    # processes of a deployed model, however many replicas it has: as many as this machine has processors
    replica_processes: Annotated[int, msgspec.Meta(ge=1)] = msgspec.field(default_factory=lambda: os.cpu_count() or 1)
    restart_delay: float = 10.0  # seconds before a model server that ended starts again; doubled each time
    record_limit: int = 100_000  # calls kept in the request record
    # switches, each changed at run time by Control.set
    concurrent_deploys: bool = True
    returns_container_spec: bool = False
    deployed_model_appears_at_once: bool = False
    required_replicas_are_enough: bool = False
    queued_resource_operation_ends: Literal["ACCEPTED", "ACTIVE"] = "ACCEPTED"
    waiting_state: Literal["WAITING_FOR_RESOURCES", "ACCEPTED"] = "WAITING_FOR_RESOURCES"
    keeps_workload_type: bool = True
    lag: Annotated[int, msgspec.Meta(ge=0)] = 0  # reads of a changed object that still answer as before
    # those granted to everybody, or by caller: a bearer token, or whose it is; `*`: every other one. None: all
    permissions: list[str] | dict[str, list[str] | None] | None = None
    faults: list[Fault] = []  # in force from the start, and again after a reset
    quotas: dict[str, dict[str, Chips]] | None = None  # by id, then by location; `*`: every other one
    capacity: dict[str, dict[str, Chips]] | None = None  # by zone or region, then by generation

    def __post_init__(self) -> None:
        unknown = sorted(every(self.permissions) - permissions())
        if unknown:
            raise ValueError(f"permissions: {', '.join(unknown)} unknown; there are {', '.join(sorted(permissions()))}")
        unknown = sorted({*(self.quotas or ())} - {*QUOTAS})
        if unknown:
            raise ValueError(f"quotas: {', '.join(unknown)} unknown; there are {', '.join(QUOTAS)}")


SWITCHES = (
    "concurrent_deploys",
    "returns_container_spec",
    "deployed_model_appears_at_once",
    "required_replicas_are_enough",
    "queued_resource_operation_ends",
    "waiting_state",
    "keeps_workload_type",
    "lag",
    "permissions",
    "quotas",
    "capacity",
    "health_timeout",
    "predict_timeout",
    "replica_processes",
    "restart_delay",
)


def read_settings(path: Path) -> Settings:
    """The settings in a JSON file; msgspec.ValidationError names the path of a value that does not fit."""
    return msgspec.json.decode(path.read_bytes(), type=Settings)


def copied(settings: Settings) -> Settings:
    """A copy that the run may change, so that a reset finds the settings as they were given."""
    return msgspec.convert(msgspec.to_builtins(settings), Settings)


def changed(settings: Settings, switch: str, value: object) -> None:
    """Sets one switch in place; ValueError names the switches there are, or the values one takes."""
    if switch not in SWITCHES:
        raise ValueError(f"{switch!r} is not a switch; switches are {', '.join(SWITCHES)}")
    try:
        tried = msgspec.convert(msgspec.to_builtins(settings) | {switch: value}, Settings)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    setattr(settings, switch, getattr(tried, switch))


def delayed(settings: Settings, duration: str, seconds: float) -> None:
    """Sets one duration in place; ValueError names the durations there are."""
    names = Durations.__struct_fields__
    if duration not in names:
        raise ValueError(f"{duration!r} is not a duration; durations are {', '.join(names)}")
    if seconds < 0:
        raise ValueError(f"{duration} must be 0 or more seconds (got {seconds!r})")
    setattr(settings.durations, duration, float(seconds))
