"""What the policy configuration says of every rule: exemptions, strict mode, what a twin sees."""

from datetime import date
from typing import Any

import pytest
from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE
from tpuserve.policies.exemptions import Exemption  # pyright: ignore[reportMissingImports]
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]
from tpuserve.policies.pack import ConfigError, Pack  # pyright: ignore[reportMissingImports]

from tests.policies.packs import DEPLOYMENT, deployment
from tpuserve.declared.tokens import RAW_VM
from tpuserve.marks import SECRET, SIGNATURE

MANDATORY, ADVISORY, DISABLED = analyzer_pb2.MANDATORY, analyzer_pb2.ADVISORY, analyzer_pb2.DISABLED
ONLY_1T = {"allowed": ["ct6e-standard-1t"]}
URN = f"urn:pulumi:s::p::{DEPLOYMENT}::digits"
EXEMPTION = {
    "policy": "machine-types",
    "resource": "digits",
    "owner": "ml-platform",
    "reason": "the 4-chip trial",
    "expires": "2026-12-31",
}
BEFORE, LAST, AFTER = date(2026, 12, 1), date(2026, 12, 31), date(2027, 1, 1)


def configured(today: date = BEFORE, **policies: Any) -> Pack:
    pack = Pack(lambda: today)
    given = {name.replace("_", "-"): _config(*value) for name, value in policies.items()}
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=given), None)
    return pack


def exempting(today: date = BEFORE, /, **changes: Any) -> Pack:
    given = {"list": [EXEMPTION | changes]}
    return configured(today, machine_types=(MANDATORY, ONLY_1T), exemptions=(ADVISORY, given))


def _config(level: Any, properties: dict[str, Any]) -> analyzer_pb2.PolicyConfig:
    struct = struct_pb2.Struct()
    struct.update(properties)
    return analyzer_pb2.PolicyConfig(enforcementLevel=level, properties=struct)


def found(pack: Pack, machine_type: Any = "ct6e-standard-4t") -> list[tuple[str, int, str]]:
    struct = struct_pb2.Struct()
    struct.update(deployment(machine_type))
    request = analyzer_pb2.AnalyzeRequest(type=DEPLOYMENT, urn=URN, name="digits", properties=struct)
    answer = pack.Analyze(request, None)
    return [(each.policyName, each.enforcementLevel, each.message) for each in answer.diagnostics]


def of_stack(pack: Pack, *urns: str) -> list[tuple[str, str]]:
    resources = [analyzer_pb2.AnalyzerResource(type=DEPLOYMENT, urn=urn) for urn in urns]
    answer = pack.AnalyzeStack(analyzer_pb2.AnalyzeStackRequest(resources=resources), None)
    return [(each.policyName, each.message.partition("\n")[2]) for each in answer.diagnostics]


def test_an_exempted_violation_is_advice_that_says_who_exempted_it_and_why() -> None:
    [(policy, level, message)] = found(exempting())

    assert (policy, level) == ("machine-types", ADVISORY)
    assert message.endswith("exempted until 2026-12-31 (ml-platform: the 4-chip trial)")


def test_an_exemption_holds_on_its_last_day() -> None:
    assert [level for _, level, _ in found(exempting(LAST))] == [ADVISORY]


def test_an_expired_exemption_is_void_and_the_violation_says_so() -> None:
    [(_, level, message)] = found(exempting(AFTER))

    assert level == MANDATORY
    assert "its exemption expired on 2026-12-31 (ml-platform: the 4-chip trial)" in message


def test_an_expired_exemption_is_told_where_nothing_is_violated() -> None:
    [(policy, message)] = of_stack(exempting(AFTER))

    assert (policy, "of digits from machine-types expired on 2026-12-31" in message) == ("exemptions", True)


def test_a_valid_exemption_alone_is_not_spoken_of() -> None:
    assert of_stack(exempting(LAST), URN) == []


def test_an_exemption_that_no_resource_answers_to_is_told() -> None:
    [(policy, message)] = of_stack(exempting(resource="digit"), URN)

    assert (policy, "of digit from machine-types" in message) == ("exemptions", True)
    assert message.endswith("covers nothing: no resource of the stack is named so; mend it or take it out")


def test_an_exemption_of_everything_is_not_said_to_cover_nothing() -> None:
    assert of_stack(exempting(resource="*")) == []


def test_an_exemption_covers_what_strict_mode_could_not_check() -> None:
    exemption = {"list": [EXEMPTION]}
    pack = configured(strict=(MANDATORY, {}), exemptions=(ADVISORY, exemption))

    assert [level for _, level, _ in found(pack, UNKNOWN_STRING_VALUE)] == [ADVISORY]


def test_exemptions_hold_where_all_policies_but_one_are_disabled() -> None:
    exemption = {"list": [EXEMPTION]}
    pack = configured(machine_types=(MANDATORY, ONLY_1T), exemptions=(DISABLED, exemption))

    assert [level for _, level, _ in found(pack)] == [ADVISORY]


def test_brackets_in_an_exemption_are_part_of_a_name() -> None:
    exemption = Exemption("machine-types", "digits[0]", "o", "r", LAST)

    assert (exemption.is_of("urn:pulumi:s::p::t::digits[0]"), exemption.is_of("urn:pulumi:s::p::t::digits0")) == (
        True,
        False,
    )


def test_a_name_with_colons_is_a_name() -> None:
    assert Exemption("machine-types", "a::b", "o", "r", LAST).is_of("urn:pulumi:s::p::t::a::b")


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        ("machine_types", "machine-types.alowed: there is no such key; there are allowed"),
        ("machine_types_unchecked", "machine-types-unchecked.alowed: there is no such key; there are allowed"),
        ("shapes", "shapes.alowed: there is no such key; this policy has its level alone"),
    ],
)
def test_a_key_that_no_policy_reads_is_refused(policy: str, fault: str) -> None:
    given: dict[str, Any] = {policy: (MANDATORY, {"alowed": []})}

    with pytest.raises(ConfigError) as raised:
        configured(**given)

    assert str(raised.value) == fault


def test_a_secret_is_in_no_message() -> None:
    pack = configured(machine_types=(MANDATORY, ONLY_1T))

    [(_, _, message)] = found(pack, {SIGNATURE: SECRET, "value": "ct6e-standard-4t"})

    assert "machineType: [secret] is not a machine type that this stack may use" in message


def test_a_secret_is_in_no_message_on_the_stack() -> None:
    pack, struct = configured(locations_listed=(ADVISORY, {})), struct_pb2.Struct()
    zone = {SIGNATURE: SECRET, "value": "us-west4-a"}
    struct.update({"zone": zone, "acceleratorType": "v6e-8", "project": "acme"})
    vm = analyzer_pb2.AnalyzerResource(type=RAW_VM, urn=f"urn:pulumi:s::p::{RAW_VM}::vm", properties=struct)

    answer = pack.AnalyzeStack(analyzer_pb2.AnalyzeStackRequest(resources=[vm]), None)

    shown = " ".join(each.message for each in answer.diagnostics)
    assert ("[secret] as a zone" in shown, "us-west4-a" in shown) == (True, False)


@pytest.mark.parametrize("resource", ["dig*", URN, "*::digits", "*"])
def test_a_resource_is_exempted_by_name_urn_or_pattern(resource: str) -> None:
    assert [level for _, level, _ in found(exempting(resource=resource))] == [ADVISORY]


@pytest.mark.parametrize("change", [{"resource": "digit"}, {"policy": "shapes"}])
def test_an_exemption_covers_what_it_names_and_nothing_else(change: Any) -> None:
    assert [level for _, level, _ in found(exempting(**change))] == [MANDATORY]


def test_every_day_that_there_is_not_is_refused() -> None:
    given = {"list": [EXEMPTION | {"expires": "2026-02-31"}, EXEMPTION, EXEMPTION | {"expires": "2026-13-01"}]}
    with pytest.raises(ConfigError) as caught:
        configured(exemptions=(ADVISORY, given))

    assert str(caught.value).splitlines() == [
        "exemptions.list[0].expires: '2026-02-31' is no day",
        "exemptions.list[2].expires: '2026-13-01' is no day",
    ]


def test_a_policy_that_there_is_not_cannot_be_configured() -> None:
    with pytest.raises(ConfigError, match=r"machine-type: the pack has no such policy; did you mean machine-types\?"):
        configured(machine_type=(MANDATORY, {}))


def test_every_fault_of_a_configuration_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        configured(machine_type=(MANDATORY, {}), shapes=(MANDATORY, {"allow": 1}), all=(ADVISORY, {"allowed": 1}))

    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        "machine-type",
        "shapes.allow",
        "all.allowed",
    ]


def test_the_level_of_all_is_taken_as_the_engine_sends_it() -> None:
    pack = configured(all=(ADVISORY, {}), machine_types=(ADVISORY, ONLY_1T))

    assert [level for _, level, _ in found(pack)] == [ADVISORY]


def test_what_could_not_be_checked_blocks_in_strict_mode() -> None:
    levels = [(policy, level) for policy, level, _ in found(configured(strict=(MANDATORY, {})), UNKNOWN_STRING_VALUE)]

    assert levels == [("machine-types-unchecked", MANDATORY)]


def test_a_twin_is_silent_where_its_rule_is_disabled() -> None:
    pack = configured(machine_types=(DISABLED, {}), strict=(MANDATORY, {}))

    assert found(pack, UNKNOWN_STRING_VALUE) == []


def test_a_twins_own_level_is_kept() -> None:
    pack = configured(machine_types=(ADVISORY, ONLY_1T), machine_types_unchecked=(MANDATORY, {}))

    assert [level for _, level, _ in found(pack, UNKNOWN_STRING_VALUE)] == [MANDATORY]


def test_a_twin_sees_the_configuration_of_its_rule() -> None:
    pack = configured(containers_memlock=(ADVISORY, {"raisedBy": ["us-docker.pkg.dev/acme/"]}))

    assert pack._get_policy_config("containers-memlock-unchecked") == {"raisedBy": ["us-docker.pkg.dev/acme/"]}


def test_every_policy_says_who_it_is_for_people() -> None:
    info = Pack().GetAnalyzerInfo(None, None)

    assert [each.name for each in info.policies if not (each.displayName and each.url and each.severity)] == []
    assert [each.name for each in info.policies if each.name != "strict" and not each.remediation_steps] == []
    assert (info.provider, bool(info.readme), bool(info.description)) == ("gcp", True, True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_rule_names_the_types_that_it_looks_at(family: Any) -> None:
    assert [token for token in family.tokens if token.count(":") == 2] != []


def test_twins_stay_advisory_where_everything_is_to_be_mended() -> None:
    """The engine gives `all`'s level to every policy."""
    pack = Pack(lambda: BEFORE)
    everywhere = dict.fromkeys((each.name for each in pack.policies), _config(analyzer_pb2.REMEDIATE, {}))
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=everywhere), None)

    [(name, level, _)] = found(pack, UNKNOWN_STRING_VALUE)

    assert (name, level) == ("machine-types-unchecked", ADVISORY)
