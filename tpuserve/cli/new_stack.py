"""A new stack's files: provider configuration with a fresh owner id, and the policies of its environment."""

from __future__ import annotations

import json
import os
import re
import secrets
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tpuserve import catalog
from tpuserve.catalog.words import did_you_mean, listed
from tpuserve.cli.errors import UserError
from tpuserve.resources.check import faults as shape_faults
from tpuserve.resources.provider import SHAPE
from tpuserve.stack.environments import ENVIRONMENTS, LABEL, policies_of

OWNER_LENGTH = 20
OWNER_LETTERS = string.ascii_lowercase + string.digits
NAME = re.compile(r"(?!\.+$)[A-Za-z0-9_.-]{1,100}")
PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml")
PLACES = ("project", "location", "zone")
KEYS = ("name", "environment", *PLACES, "surroundings")
STACK = re.compile(r"[^/\s]+/[^/\s]+/[^/\s]+")
PACK = "policies/analyzer"
DOCS = "docs/stacks.md"
HEAD = """\
# tpuserve:ownerId is random and this stack's alone: by it the stack knows at Google what it has made. Never copy it to
# another stack, and never change it while anything is deployed.
"""
MORE = f"# What else a stack may say: {DOCS}.\n"
PROGRAM = "tpu-inference"  # the project whose program reads the template's keys
TEMPLATE = """\
  # What the program builds: take away the first # of the sections you want, and put in your own values.
{surroundings}#  tpu-inference:collection:
#    slices: 2
#    acceleratorType: v6e-8
#    runtimeVersion: v2-alpha-tpuv6e
#  tpu-inference:model:
#    displayName: ranker
#    imageUri: us-east5-docker.pkg.dev/my-project/serving/ranker:7
#    predictRoute: /predict
#    healthRoute: /health
#    port: 8080
#  tpu-inference:endpoint:
#    displayName: ranker
#    variants:
#      stable:
#        machineType: ct6e-standard-1t
#        maxReplicaCount: 1
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A Pulumi project, as its file says."""

    file: Path
    settings: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """Where its stack files are."""
        return self.file.parent / str(self.settings.get("stackConfigDir", "."))

    @property
    def is_ours(self) -> bool:
        """Whether its program is the one of this repository."""
        return self.settings.get("name") == PROGRAM

    @property
    def has_docs(self) -> bool:
        """Whether the page on stack files is there."""
        return (self.file.parent / DOCS).is_file()

    def stack_file(self, stack: str) -> Path:
        """The stack's configuration."""
        return self.folder / f"Pulumi.{stack}.yaml"

    def policy_file(self, stack: str) -> Path:
        """The stack's policy configuration."""
        return self.folder / f"policy-config.{stack}.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What is wanted; "" stands for what is left out."""

    name: str
    environment: str = ""
    project: str = ""
    location: str = ""
    zone: str = ""
    surroundings: str = ""

    @property
    def places(self) -> dict[str, str]:
        """The provider's keys that are given."""
        return {key: value for key in PLACES if (value := getattr(self, key))}

    @property
    def regions(self) -> tuple[str, ...]:
        """Where the stack is: the region of models and endpoints, and that of its slices."""
        return (self.location, catalog.region_of(self.zone))


def project_of(directory: Path) -> Project:
    """The project of a folder. Raises UserError."""
    start = directory.resolve()
    for folder in (start, *start.parents):
        for name in PROJECT_FILES:
            if (file := folder / name).is_file():
                return Project(file, _settings(file))
    raise UserError(f"no Pulumi.yaml in {start} or above it; give a folder of the project with --directory")


def faults(project: Project, key: str, value: str) -> Iterator[str]:
    """What is wrong with one answer; "" is left out, and has no fault but as a name."""
    if key == "name":
        yield from _name_faults(project, value)
    elif key == "environment" and value not in ("", *ENVIRONMENTS):
        yield f"{value!r} is no environment{did_you_mean(value, ENVIRONMENTS)}; use {listed(ENVIRONMENTS, 'or')}"
    elif key == "surroundings" and value:
        yield from _surroundings_faults(project, value)
    elif key in PLACES and value:
        yield from (fault.message for fault in shape_faults(SHAPE, {key: value}))


def write(project: Project, answers: Answers) -> list[Path]:
    """Write the files where the project has its stack files; their paths. Raises UserError, with every fault."""
    if found := [_named(key, fault) for key in KEYS for fault in faults(project, key, getattr(answers, key))]:
        raise UserError(*found)
    path = project.stack_file(answers.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text(project, answers))
        return [path, *_policies(project, answers)]
    except OSError as error:  # a file that was written since it was looked for is one too
        raise UserError(f"cannot be written: {error}") from None


def next_steps(project: Project, answers: Answers) -> Iterator[str]:
    """What to do with the files that were written."""
    if project.is_ours:
        where = f" ({DOCS})" if project.has_docs else ""
        yield f"fill in tpu-inference:collection, model and endpoint there, or what you want of them{where}"
    yield f"pulumi stack init {answers.name}"
    if answers.environment:
        pack = PACK if project.is_ours else f"path/to/tpuserve/{PACK}"
        config = os.path.relpath(project.policy_file(answers.name), project.file.parent)
        yield f"pulumi preview --policy-pack {pack} --policy-pack-config {config}"


def owner_id() -> str:
    """20 characters of [a-z0-9], random."""
    return "".join(secrets.choice(OWNER_LETTERS) for _ in range(OWNER_LENGTH))


def text(project: Project, answers: Answers) -> str:
    """The stack file: the provider's keys, and for the program of this repository its own as comments."""
    config: dict[str, Any] = {f"tpuserve:{key}": value for key, value in answers.places.items()}
    config["tpuserve:ownerId"] = owner_id()
    config |= _of_environment(project, answers.environment)
    if answers.surroundings:
        config[f"{PROGRAM}:surroundings"] = answers.surroundings
    more = MORE if project.has_docs else ""
    return (
        HEAD
        + more
        + yaml.safe_dump({"config": config}, sort_keys=False)
        + (template(answers) if project.is_ours else "")
    )


def template(answers: Answers) -> str:
    """What the program of this repository reads besides, as comments."""
    proposed = f"#  {PROGRAM}:surroundings: organization/tpu-serving/{answers.environment or 'prod'}\n"
    return TEMPLATE.format(surroundings="" if answers.surroundings else proposed)


def _of_environment(project: Project, name: str) -> dict[str, Any]:
    """What the stacks of an environment say: to the program of this repository, else to the provider alone."""
    if not name:
        return {}
    if not project.is_ours:
        return {"tpuserve:defaultLabels": {LABEL: name}}
    protect = {f"{PROGRAM}:protect": True} if ENVIRONMENTS[name].protect else {}
    return {f"{PROGRAM}:labels": {LABEL: name}} | protect


def _policies(project: Project, answers: Answers) -> Iterator[Path]:
    """The policy configuration, unless the stack has one already: that is its owner's."""
    path = project.policy_file(answers.name)
    if answers.environment and not path.exists():
        content = json.dumps(policies_of(answers.environment, *answers.regions), indent=2)
        path.write_text(content + "\n", encoding="utf-8")
        yield path


def _name_faults(project: Project, name: str) -> Iterator[str]:
    if not NAME.fullmatch(name):
        yield f"{name!r} is not a stack's name: 1 to 100 letters, digits, hyphens, underscores and dots, not dots alone"
    elif (path := project.stack_file(name)).exists():
        yield _exists(path)


def _surroundings_faults(project: Project, stack: str) -> Iterator[str]:
    if not project.is_ours:
        yield f"is read by a program named {PROGRAM} alone, and this one is named {project.settings.get('name')!r}"
    elif not STACK.fullmatch(stack):
        yield f"{stack!r} is not the full name of a stack, such as organization/tpu-serving/prod"


def _exists(path: Path) -> str:
    return (
        f"{path} exists and was left as it is: its tpuserve:ownerId is how the stack knows what it made. Give "
        "another name, or edit the file"
    )


def _named(key: str, fault: str) -> str:
    return f"NAME: {fault}" if key == "name" else f"--{key}: {fault}"


def _settings(file: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{file}: {error}") from None
    return found if isinstance(found, dict) else {}
