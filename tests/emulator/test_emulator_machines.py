"""State machines against models of them: versions and aliases, an endpoint's split, a queued resource's states."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition, GoogleAPICallError, InvalidArgument
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from tests.emulator.google import LOCATION, ZONE, Google
from tpuserve.emulator.tpu.tables import TRANSITIONS

DIGITS = f"{LOCATION}/models/digits"
ALIASES = st.sampled_from(["golden", "canary", "default"])
FEW = settings(max_examples=12, stateful_step_count=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def run(machine: Any, cloud: Google) -> None:
    class Fresh(machine):
        """The machine with an empty emulator at the start of each example."""

        def __init__(self) -> None:
            cloud.control.reset()
            super().__init__()

    Fresh.cloud = cloud
    run_state_machine_as_test(Fresh, settings=FEW)


class Versions(RuleBasedStateMachine):
    """What a model's versions and aliases should be."""

    cloud: Google

    def __init__(self) -> None:
        super().__init__()
        self.aliases: dict[str, str] = {}
        self.live: list[str] = []
        self.uploads = 0

    @rule(aliases=st.sets(ALIASES, max_size=2))
    def upload(self, aliases: set[str]) -> None:
        more = {"parent_model": DIGITS} if self.live else {}
        if self.live or not self.uploads:
            self.cloud.upload(model_fields={"version_aliases": sorted(aliases)}, **more)
            self.uploads += 1
            self.live.append(str(self.uploads))
            self.aliases |= dict.fromkeys(aliases | ({"default"} if len(self.live) == 1 else set()), self.live[-1])

    @precondition(lambda self: self.live)
    @rule(data=st.data(), alias=ALIASES)
    def give(self, data: st.DataObject, alias: str) -> None:
        version = data.draw(st.sampled_from(self.live))
        self.cloud.models.merge_version_aliases(name=f"{DIGITS}@{version}", version_aliases=[alias])
        self.aliases[alias] = version

    @precondition(lambda self: self.live)
    @rule(data=st.data(), alias=ALIASES)
    def take(self, data: st.DataObject, alias: str) -> None:
        version = data.draw(st.sampled_from(self.live))
        has = self.aliases.get(alias) == version
        with refused_if(FailedPrecondition, alias == "default" and has):
            self.cloud.models.merge_version_aliases(name=f"{DIGITS}@{version}", version_aliases=[f"-{alias}"])
        if has and alias != "default":
            del self.aliases[alias]

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        version = data.draw(st.sampled_from(self.live))
        kept = len(self.live) == 1 or self.aliases["default"] == version
        with refused_if(FailedPrecondition, kept):
            self.cloud.done(self.cloud.models.delete_model_version(name=f"{DIGITS}@{version}"))
        if not kept:
            self.live.remove(version)
            self.aliases = {alias: found for alias, found in self.aliases.items() if found != version}

    @invariant()
    def versions_and_aliases_are_as_expected(self) -> None:
        if self.live:
            found = self.cloud.models.list_model_versions(name=DIGITS)
            seen = {model.version_id: set(model.version_aliases) for model in found}
            assert seen == {
                version: {alias for alias, of in self.aliases.items() if of == version} for version in self.live
            }


class Split(RuleBasedStateMachine):
    """What an endpoint's deployed models and split should be."""

    cloud: Google

    def __init__(self) -> None:
        super().__init__()
        self.endpoint, self.model = "", ""
        self.split: dict[str, int] = {}
        self.deployed: list[str] = []

    @rule(share=st.one_of(st.none(), st.integers(0, 100)))
    def deploy(self, share: int | None) -> None:
        self.arrange()
        identifier = str(1000 + len(self.deployed) + sum(map(int, self.deployed)))
        split = {} if share is None else {"0": share}
        if share is not None and self.deployed:
            split[self.deployed[0]] = 100 - share
        with refused_if(InvalidArgument, sum(split.values()) not in {0, 100} or split == {"0": 0}):
            self.cloud.deploy(self.endpoint, self.model, id=identifier, split=split)
            self.deployed.append(identifier)
            if split:
                self.split = {identifier if key == "0" else key: value for key, value in split.items()}

    @precondition(lambda self: self.deployed)
    @rule(data=st.data(), shares=st.lists(st.integers(0, 100), max_size=3))
    def update(self, data: st.DataObject, shares: list[int]) -> None:
        split = dict(zip(self.deployed, shares, strict=False))
        with refused_if(InvalidArgument, bool(split) and sum(split.values()) != 100):
            self.cloud.update_split(self.endpoint, split)
            self.split = split

    @precondition(lambda self: self.deployed)
    @rule(data=st.data())
    def undeploy(self, data: st.DataObject) -> None:
        identifier = data.draw(st.sampled_from(self.deployed))
        with refused_if(FailedPrecondition, len(self.deployed) > 1 and bool(self.split.get(identifier))):
            self.cloud.undeploy(self.endpoint, identifier)
            self.deployed.remove(identifier)
            self.split = {key: share for key, share in self.split.items() if key != identifier and self.deployed}

    @precondition(lambda self: self.endpoint)
    @rule()
    def predict(self) -> None:
        serving = {key for key, share in self.split.items() if share}
        with refused_if(FailedPrecondition, not serving):
            answer = self.cloud.predictions.predict(endpoint=self.endpoint, instances=[1.0])
            assert answer.deployed_model_id in serving

    def arrange(self) -> None:
        if not self.endpoint:
            self.endpoint, self.model = self.cloud.endpoint(), self.cloud.upload()

    @invariant()
    def the_endpoint_is_as_expected(self) -> None:
        if self.endpoint:
            found = self.cloud.endpoints.get_endpoint(name=self.endpoint)
            assert [model.id for model in found.deployed_models] == self.deployed
            assert dict(found.traffic_split) == self.split

    @invariant()
    def a_split_is_whole_or_empty_and_names_what_is_there(self) -> None:
        assert sum(self.split.values()) in {0, 100}
        assert set(self.split) <= set(self.deployed)


class Request(RuleBasedStateMachine):
    """A queued resource never takes a way that the table of states does not know."""

    cloud: Google
    KINDS = ("create_queued_resource", "qr_waiting", "qr_provisioning", "qr_suspending", "delete_queued_resource")

    def __init__(self) -> None:
        super().__init__()
        self.seen = "CREATING"
        self.made = False

    @precondition(lambda self: not self.made)
    @rule(held=st.sampled_from(KINDS), fails=st.booleans())
    def make(self, held: str, fails: bool) -> None:
        if fails:
            self.cloud.control.fail_operation("qr_provisioning", "RESOURCE_EXHAUSTED")
        self.cloud.control.hold(held)
        self.cloud.begin_request()
        self.made = True

    @precondition(lambda self: self.made)
    @rule(held=st.sampled_from(KINDS))
    def release(self, held: str) -> None:
        self.cloud.control.release(held)

    @precondition(lambda self: self.made and self.seen == "ACTIVE")
    @rule()
    def preempt(self) -> None:
        self.cloud.control.preempt("pool")

    @precondition(lambda self: self.made)
    @rule(force=st.booleans())
    def delete(self, force: bool) -> None:
        request = {"name": f"{ZONE}/queuedResources/pool", "force": force}
        with contextlib.suppress(GoogleAPICallError):
            self.cloud.wait(self.cloud.tpu.delete_queued_resource(request=request), seconds=0)

    @invariant()
    def the_way_is_in_the_table(self) -> None:
        if not self.made:
            return
        found = [item["state"] for item in self.cloud.control.objects()["queuedResources"]]
        if not found:
            self.seen, self.made = "CREATING", False
            return
        assert found[0] in reachable(self.seen)
        self.seen = found[0]


def reachable(state: str) -> set[str]:
    found, ahead = set(), {state}
    while ahead:
        found |= ahead
        ahead = {target for known in ahead for target in TRANSITIONS[known]} - found
    return found


@contextlib.contextmanager
def refused_if(error: type[Exception], expected: bool) -> Iterator[None]:
    """The block fails with that error if that was to be expected, and only then."""
    if expected:
        with pytest.raises(error):
            yield
    else:
        yield


@pytest.mark.unmet_faults  # a generated case may end before its fault is met
@pytest.mark.parametrize("machine", [Versions, Split, Request])
def test_the_emulator_behaves_as_its_model(cloud: Google, machine: Any) -> None:
    run(machine, cloud)
