"""Records what the real engine tells of previews and updates against the emulator.

Run by `python -m tests.report.record [NAME...]`.

The recordings are what the report is tested with. Only what no report reads is taken out of them: debug lines, the
configuration, ports and paths of the machine that recorded.
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pulumi
from tpuserve.components import ServingEndpoint, ServingModel, TpuCollection  # pyright: ignore[reportMissingImports]

from tests.emulator.google import Google
from tests.engine.harness import cloud as clouds
from tests.engine.harness import stack as stacks
from tests.engine.harness.run import Run
from tests.engine.harness.stack import Stack
from tools.engine import required
from tpuserve import resources as r

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "recorded"
PACK = ("--policy-pack", str(ROOT / "policies" / "analyzer"))
EXEMPTION = {
    "policy": "containers-versions",
    "resource": "ranker-model",
    "owner": "ml-platform",
    "reason": "a trial | of <two> weeks",
    "expires": "2999-12-31",
}
POLICIES = {
    "machine-types": {"allowed": ["ct6e-standard-4t"]},
    "exemptions": {"list": [EXEMPTION]},
    "quotas": {"limits": {"*": {"TPUV6EPerProjectPerZoneForTPUAPI": {"us-east5-b": 40}}}},
}
IMAGE = "us-east5-docker.pkg.dev/my-project/serving/ranker"
UNREAD = {"preludeEvent", "policyRemediateSummaryEvent", "policyLoadEvent", "cancelEvent"}
ADDRESS = re.compile(r"127\.0\.0\.1:\d+")


@dataclass(frozen=True, kw_only=True)
class Ranker:
    """A collection, a model with a secret, and its endpoint; what is left out is not declared."""

    slices: int = 2
    kind: str = "v6e-8"
    collection: Mapping[str, Any] | None = field(default_factory=lambda: {"node_prefix": "rank"})
    image: str = "7"
    token: str = "hush-hush"
    machine: str = "ct6e-standard-1t"
    variants: Mapping[str, int] = field(default_factory=lambda: {"stable": 100})
    endpoint: Mapping[str, Any] | None = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __call__(self) -> None:
        if self.collection is not None:
            shape = {"slices": self.slices, "accelerator_type": self.kind, "runtime_version": "v2-alpha-tpuv6e"}
            TpuCollection("ranker", {**shape, "labels": self.labels, **self.collection})
        env = {"TOKEN": pulumi.Output.secret(self.token), "MODE": "fast"}
        image = {"image_uri": f"{IMAGE}:{self.image}", "predict_route": "/predict", "env": env}
        model = ServingModel("ranker", {"display_name": "ranker", "labels": self.labels, **image})
        if self.endpoint is not None:
            variant = {"model": model.version_name, "machine_type": self.machine, "max_replica_count": 2}
            args: Any = {"display_name": "ranker", "variants": dict.fromkeys(self.variants, variant)}
            ServingEndpoint("ranker", {**args, "traffic_split": dict(self.variants), **self.endpoint})


@dataclass(frozen=True, slots=True)
class Recorder:
    """Runs on one stack, and what they told."""

    stack: Stack
    folder: Path
    wanted: Sequence[str]

    def keep(self, name: str, run: Run) -> None:
        """Write what it told, if it is wanted."""
        if self.wanted and name not in self.wanted:
            return
        text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in _kept(run.event_log, self.folder))
        (FOLDER / f"{name}.jsonl").write_text(text)
        sys.stdout.write(f"{name}: code {run.code}, {len(text)} bytes\n")

    def preview(self, name: str, program: Callable[[], None], *flags: str) -> None:
        """Preview, if that is wanted."""
        if not self.wanted or name in self.wanted:
            self.keep(name, self.stack.begin("preview", program, *flags).wait())


def _kept(log: Path, folder: Path) -> Iterator[dict[str, Any]]:
    text = ADDRESS.sub("127.0.0.1:8080", log.read_text(encoding="utf-8"))
    for path, shown in ((folder, "/tmp/work"), (ROOT, "/home/me/tpuserve")):
        text = text.replace(str(path), shown)
    yield from kept(map(json.loads, text.splitlines()))


def kept(events: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What is recorded of a run."""
    for event in events:
        diagnostic = event.get("diagnosticEvent") or {}
        noise = (
            diagnostic.get("severity") == "debug" or diagnostic.get("ephemeral") or "from $PATH at" in str(diagnostic)
        )
        kind = next((key for key in ("resourcePreEvent", "resOutputsEvent") if key in event), "")
        operation = event[kind]["metadata"]["op"] if kind else ""
        if noise or event.keys() & UNREAD or (kind == "resOutputsEvent" and operation == "same"):
            continue
        yield {**event, "timestamp": 0} | ({kind: _smaller(event[kind], kind, operation)} if kind else {})


def _smaller(event: Mapping[str, Any], kind: str, operation: str) -> dict[str, Any]:
    """Without the outputs of what does not change."""
    metadata = dict(event["metadata"])
    if operation == "same" or (kind == "resourcePreEvent" and operation == "refresh"):
        for side in ("old", "new"):
            metadata[side] = metadata[side] and {**metadata[side], "outputs": {}}
    return {**event, "metadata": metadata}


def record(folder: Path, wanted: Sequence[str]) -> None:
    """Those that are wanted, on one stack and one emulator; all where none is named."""
    stacks.NAME, stacks.PROJECT_NAME = "prod", "inference"
    (config := folder / "policies.json").write_text(json.dumps(POLICIES))
    base, labels = Ranker(), {"team": "ranking"}
    with clouds.running() as cloud:
        stack = Stack(folder / "stack", required(), cloud)
        to = Recorder(stack, folder, wanted)
        to.preview("create", base)
        to.preview("refused", replace(base, machine="n1-standard-4"))
        to.keep("up", stack.up(base))
        to.preview("nothing", base)
        to.preview("policies", replace(base, image="8"), *PACK, "--policy-pack-config", str(config))
        split = {"stable": 90, "next": 10}
        to.preview("update", replace(base, labels=labels, image="8", token="hush-now", variants=split))
        beside = {"dedicated_endpoint_enabled": True, "allow_replace": True}
        to.preview("replace", replace(base, slices=3, endpoint=beside))
        to.preview("delete", replace(base, collection=None, endpoint=None))
        to.preview("import", lambda: _with_import(base, cloud))
        if not wanted or {*wanted} & {"drift", "failure"}:
            _drift(cloud)
            to.preview("drift", base, "--refresh")
            cloud.control.fail("CreateQueuedResource", "RESOURCE_EXHAUSTED", "There is no more capacity in the zone")
            to.keep("failure", stack.fails("up", replace(base, kind="v6e-16")))
        stack.stop()


def _with_import(base: Ranker, cloud: clouds.Cloud) -> None:
    base()
    options = pulumi.ResourceOptions(import_=_hand_made(cloud))
    r.Endpoint("old", {"display_name": "old", "endpoint_id": "old"}, options)


def _hand_made(cloud: clouds.Cloud) -> str:
    clients = Google(cloud.address, cloud.control)
    with clients.channel:
        return clients.endpoint("old", display_name="old")


def _drift(cloud: clouds.Cloud) -> None:
    """Somebody relabels the endpoint by hand, and takes the collection away."""
    clients = Google(cloud.address, cloud.control)
    with clients.channel:
        ours = cloud.endpoint("ranker")["name"]
        endpoint = {"name": ours, "labels": {"team": "somebody-else"}, "description": "by hand"}
        clients.endpoints.update_endpoint(endpoint=endpoint, update_mask={"paths": ["description"]})
        [request] = cloud.objects("queuedResources")
        clients.done(clients.tpu.delete_queued_resource(request={"name": request["name"], "force": True}))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        record(Path(made).resolve(), sys.argv[1:])
