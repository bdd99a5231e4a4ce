"""The commands and their options. Exit code 0: done; 1: something is left to do; 2: the command could not be carried
out, and the message says why. `report` has codes of its own, and 3 for the last.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter

from tpuserve.cli.errors import UserError

USAGE, USAGE_OF_REPORT = 2, 3
app = App(
    name="tpuserve",
    help="TPU inference on Google Cloud as code: what the engine has no command for.",
    version=lambda: version("tpuserve"),
    result_action="return_value",
)
stack = App(name="stack", help="Stack files.")
policy = App(name="policy", help="The policy pack, without an engine.")
quotas = App(name="quotas", help="Quotas of TPU chips, as Google grants them.")
emulator = App(name="emulator", help="Cloud TPU and Vertex AI on this machine.")
app.command(stack)
app.command(emulator)
app.command(policy)
app.command(quotas)
Several = Annotated[tuple[str, ...], Parameter(negative=(), show_default=False, consume_multiple=False)]
Events = Annotated[Path, Parameter(allow_leading_hyphen=True)]
"""A file, or - for standard input."""
Switch = Annotated[bool, Parameter(negative=(), show_default=False)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    usage = USAGE_OF_REPORT if given[:1] == ["report"] else USAGE
    try:
        return app(given, exit_on_error=False) or 0
    except CycloptsError:
        return usage  # cyclopts has said what was wrong
    except UserError as error:
        for fault in error.faults:
            sys.stderr.write(f"error: {fault}\n")
        return usage


@stack.command
def new(
    name: str | None = None,
    /,
    *,
    environment: str | None = None,
    project: str | None = None,
    location: str | None = None,
    zone: str | None = None,
    surroundings: str | None = None,
    directory: Path = Path(),
) -> int:
    """Write the files of a new stack, with an owner id that no other stack has.

    Without a name, on a terminal, what is not given is asked for. An existing file is never overwritten: its owner id
    is how the stack knows what it made.

    Parameters
    ----------
    name
        Name of the stack, such as prod.
    environment
        dev, staging or prod: writes the stack's policy configuration beside its file.
    project
        Google Cloud project id.
    location
        Region of models and endpoints, such as us-east5.
    zone
        Zone of TPU slices, such as us-east5-b.
    surroundings
        For the program of tpuserve itself: the stack that gives account, keys, network and log, such as
        organization/tpu-serving/prod.
    directory
        A folder of the Pulumi project; this one where left out.
    """
    from tpuserve.cli import new_stack, questions  # noqa: PLC0415

    target = new_stack.project_of(directory)
    places = {"project": project, "location": location, "zone": zone}
    options = {"name": name, "environment": environment, **places, "surroundings": surroundings}
    given = {key: value for key, value in options.items() if value is not None}
    if name is None and not questions.is_terminal():
        raise UserError("NAME: missing; give it, or run this on a terminal to be asked")
    answers = questions.ask(target, given) if name is None else new_stack.Answers(**given)
    paths = new_stack.write(target, answers)
    sys.stdout.write("".join(f"{path}\n" for path in paths))
    sys.stdout.write(f"now: {'; then '.join(new_stack.next_steps(target, answers))}\n")
    return 0


@app.command
def orphans(
    *,
    delete: Switch = False,
    stack: str | None = None,
    state: Path | None = None,
    config_file: Path | None = None,
    owner_id: str | None = None,
    project: str | None = None,
    location: Several = (),
    zone: Several = (),
    tpu_endpoint: str | None = None,
    aiplatform_endpoint: str | None = None,
    origin: Several = (),
) -> int:
    """List what a stack made at Google and no longer knows; exit code 1 while there is any.

    Owner id, project, places and endpoints come from the stack's configuration; options come before it. Also looked in
    is every place that the state speaks of.

    Parameters
    ----------
    delete
        Remove it, and wait until it is gone. Not while an update of the stack runs: what that is making is not in
        the state yet.
    stack
        Name of the stack; the selected one where left out.
    state
        A file that `pulumi stack export` wrote, in place of a stack; the configuration then comes from --config-file
        and options alone.
    config_file
        The stack's configuration file, where it is not the one that Pulumi finds.
    owner_id
        In place of tpuserve:ownerId.
    project
        In place of tpuserve:project.
    location
        Region to look in, in place of tpuserve:location; may be given several times.
    zone
        Zone to look in, in place of tpuserve:zone; may be given several times.
    tpu_endpoint
        URL of the Cloud TPU API, in place of tpuserve:endpoints.
    aiplatform_endpoint
        URL of the Vertex AI API, in place of tpuserve:endpoints.
    origin
        URN of a Deployment that the stack once had and its state lost; may be given several times.
    """
    from tpuserve.cli import orphans as command  # noqa: PLC0415
    from tpuserve.cli.sources import Options  # noqa: PLC0415

    endpoints = {"tpu": tpu_endpoint, "aiplatform": aiplatform_endpoint}
    options = Options(
        stack=stack,
        state=state,
        config_file=config_file,
        given={"ownerId": owner_id, "project": project},
        endpoints={service: url for service, url in endpoints.items() if url is not None},
        locations=location,
        zones=zone,
        origins=origin,
    )
    return command.run(options, delete)


@policy.command
def check(events: Events, /, *, config: Path | None = None, strict: Switch = False) -> int:
    """Run the policy pack on what the engine's events declare; exit code 1 for a mandatory violation.

    Parameters
    ----------
    events
        What `pulumi preview --json` writes with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or `--event-log` with
        PULUMI_DEBUG_COMMANDS=true; - for standard input.
    config
        The stack's policy configuration, as for --policy-pack-config.
    strict
        Also exit with 1 for whatever could not be checked.
    """
    from tpuserve.cli import policy as command  # noqa: PLC0415

    return command.run(events, config, strict)


@app.command
def report(
    *events: Annotated[str, Parameter(allow_leading_hyphen=True)],
    format: Literal["markdown", "terminal", "json"] = "markdown",  # noqa: A002 - the option's name
    limits: Several = (),
    stack_title: str = "",
) -> int:
    """Tell what a preview or an update does, for review. Exit code 0: nothing changes; 1: blocked; 2: changes; 3: the
    command could not be carried out.

    Blocked is a run that failed or whose events were cut off, a mandatory policy that is violated, and chips that are
    beyond their quota at any moment of the update.

    Parameters
    ----------
    events
        What `pulumi preview --json` writes with PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true, or `--event-log` with
        PULUMI_DEBUG_COMMANDS=true; - for standard input. Of several stacks NAME=FILE each: one report of all.
    format
        A comment on a pull request (markdown), a terminal, or all of it for other programs (json).
    limits
        The stack's policy configuration with the limits that `tpuserve quotas fetch` writes; own prices in
        budget.prices count too. For one of several stacks NAME=FILE; may be given several times.
    stack_title
        What a single stack is called; its name where left out.
    """
    from tpuserve.cli import report as command  # noqa: PLC0415

    return command.run(events, format, limits, stack_title)


@quotas.command
def fetch(
    *,
    project: Several = (),
    zone: Several = (),
    location: Several = (),
    output: Path | None = None,
    stack: str | None = None,
    config_file: Path | None = None,
    cloudquotas_endpoint: str | None = None,
) -> int:
    """Read what Google grants of the quotas that TPU chips are charged to, as limits for policy `quotas`.

    Credentials, projects and endpoints are those of the stack or file that is named, and the provider's environment
    variables; options come before both.

    Parameters
    ----------
    project
        Project to read, in place of tpuserve:project; may be given several times.
    zone
        Zone to keep of quotas by zone; may be given several times. Every one where left out.
    location
        Region to keep of quotas by region; may be given several times. Every one where left out.
    output
        The policy configuration to write the limits into, such as stacks/policy-config.prod.json; made where there is
        none, and else kept but for the limits of these projects. Standard output where left out.
    stack
        Name of the stack whose configuration is used.
    config_file
        The stack's configuration file.
    cloudquotas_endpoint
        URL of the Cloud Quotas API, in place of tpuserve:endpoints.
    """
    from tpuserve.cli import quotas as command  # noqa: PLC0415
    from tpuserve.cli.sources import Options  # noqa: PLC0415

    endpoints = {} if cloudquotas_endpoint is None else {"cloudquotas": cloudquotas_endpoint}
    options = Options(stack=stack, config_file=config_file, endpoints=endpoints, zones=zone, locations=location)
    return command.run(options, project, output)


@emulator.command
def run(
    *,
    port: int = 0,
    rest_port: int = 0,
    console_port: int = 0,
    tls: Path | None = None,
    settings: Path | None = None,
    state: Path | None = None,
    ready: Path | None = None,
    fault: Several = (),
) -> int:
    """Serve the emulator on 127.0.0.1 until SIGTERM or Ctrl-C.

    Parameters
    ----------
    port
        Port of gRPC; 0 for any free one.
    rest_port
        Port of REST; 0 for any free one.
    console_port
        Port of the console, a page that shows what there is; 0 for any free one.
    tls
        A folder for certificates: serve over TLS as well, trusted by its ca.pem.
    settings
        A JSON file of settings.
    state
        The file that everything is written through to; without it nothing outlives the emulator.
    ready
        A file that is written, with both addresses and the pid, when calls are answered.
    fault
        A fault from the start on, such as GetModel=UNAVAILABLE,times=3 or deploy_model=vanish.
    """
    from tpuserve.emulator.__main__ import main as serve  # noqa: PLC0415

    paths = {"--settings": settings, "--state": state, "--ready": ready, "--tls": tls}
    words = [word for flag, path in paths.items() if path is not None for word in (flag, str(path))]
    faults = [word for text in fault for word in ("--fault", text)]
    ports = ["--port", str(port), "--rest-port", str(rest_port), "--console-port", str(console_port)]
    return serve([*ports, *words, *faults])


At = Annotated[str, Parameter(help="HOST:PORT of its gRPC, or the file that `run --ready` wrote.")]


@emulator.command
def status(*, at: At, json: Switch = False) -> int:
    """Show what an emulator that runs holds: objects, running operations, quotas, faults.

    Parameters
    ----------
    json
        All of it as JSON, requests and operations that have ended included.
    """
    from tpuserve.cli import emulator as command  # noqa: PLC0415

    return command.show_status(at, json)


@emulator.command
def logs(name: str = "", /, *, at: At, lines: int = 200, follow: Switch = False) -> int:
    """Print what model servers and slices wrote, those that ended included.

    Parameters
    ----------
    name
        A deployed model or a node, or the end of its name, such as deployedModels/7; all of them where left out.
    lines
        How many of the last lines of each.
    follow
        Go on with what is written from now on, until Ctrl-C.
    """
    from tpuserve.cli import emulator as command  # noqa: PLC0415

    return command.show_logs(at, name, lines, follow)


@emulator.command
def faults(*specs: str, at: At, hold: Several = (), release: Several = (), clear: Switch = False) -> int:
    """Switch faults on and list those that are on, each with how often it was met.

    Parameters
    ----------
    specs
        Faults, such as GetModel=UNAVAILABLE,times=3 or deploy_model=vanish.
    hold
        Keep operations of this kind running, such as deploy_model; may be given several times.
    release
        Let them go on; may be given several times.
    clear
        First take back every fault and hold.
    """
    from tpuserve.cli import emulator as command  # noqa: PLC0415

    return command.set_faults(at, specs, hold, release, clear)


@emulator.command
def reset(*, at: At) -> int:
    """Empty an emulator that runs; its settings are again those of its start."""
    from tpuserve.cli import emulator as command  # noqa: PLC0415

    return command.reset(at)


@emulator.command
def stop(*, at: At) -> int:
    """End an emulator that runs, and all that it started."""
    from tpuserve.cli import emulator as command  # noqa: PLC0415

    return command.stop(at)
