"""What `tpuserve stack new` asks for on a terminal, one question at a time, each answer checked as it is given."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from tpuserve import catalog
from tpuserve.cli.errors import UserError
from tpuserve.cli.new_stack import Answers, Project, faults
from tpuserve.resources.provider import ENVIRONMENT as VARIABLES
from tpuserve.stack.environments import ENVIRONMENTS

GENERATION = "v6e"
"""What collections exist for: its first region and first documented zone there are proposed."""
NOTHING = "-"
"""The answer that leaves a key out."""
QUESTIONS = {
    "name": "Name of the stack",
    "environment": "Environment",
    "project": "Google Cloud project",
    "location": "Region of models and endpoints",
    "zone": "Zone of TPU slices",
    "surroundings": "Stack that gives account, keys, network and log, such as organization/tpu-serving/prod",
}
INTRODUCTION = f"Enter takes what is in brackets; {NOTHING} leaves a key out.\n"


def is_terminal() -> bool:
    """Whether somebody is there to answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def ask(project: Project, given: Mapping[str, str], read: Callable[[str], str] = input) -> Answers:
    """Ask for what is not given. Raises UserError when the questions are broken off."""
    sys.stdout.write(INTRODUCTION)
    answers = dict(given)
    try:
        for key, question in QUESTIONS.items():
            if key not in answers and (project.is_ours or key != "surroundings"):
                answers[key] = _answer(project, key, question, proposed(project, key, answers), read)
    except (EOFError, KeyboardInterrupt):
        raise UserError("broken off; nothing was written") from None
    return Answers(**answers)


def proposed(project: Project, key: str, answers: Mapping[str, str]) -> str:
    """The answer that Enter takes; "" for none."""
    match key:
        case "name":
            return next((name for name in ENVIRONMENTS if not project.stack_file(name).exists()), "")
        case "environment":
            return answers["name"] if answers["name"] in ENVIRONMENTS else "dev"
        case "surroundings":
            return NOTHING
        case "zone":
            return _from_environment("zone") or _zone_in(answers["location"])
        case "location":
            return _from_environment("location") or catalog.regions_for(GENERATION)[0].name
        case _:
            return _from_environment(key)


def _answer(project: Project, key: str, question: str, default: str, read: Callable[[str], str]) -> str:
    if key == "environment":
        question += "".join(f"\n  {name:<9}{each.summary}" for name, each in ENVIRONMENTS.items()) + "\n "
    prompt = f"{question} [{default}]: " if default else f"{question}: "
    while True:
        try:
            said = read(prompt).strip() or default
        except UnicodeDecodeError:
            sys.stdout.write("  that cannot be read as text\n")
            continue
        value = "" if said == NOTHING and key != "name" else said
        wrong = list(faults(project, key, value))
        if not said:
            wrong = [f"nothing was given; {NOTHING} leaves it out"]
        if not wrong:
            return value
        sys.stdout.write("".join(f"  {each}\n" for each in wrong))


def _zone_in(region: str) -> str:
    """A documented zone of the region; "" where none is."""
    documented = (zone.name for zone in catalog.zones_for(GENERATION) if zone.status == "documented")
    return next((name for name in documented if catalog.region_of(name) == region), "")


def _from_environment(key: str) -> str:
    return next((value for name in VARIABLES[key] if (value := os.environ.get(name))), "")
