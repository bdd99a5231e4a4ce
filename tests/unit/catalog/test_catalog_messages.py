"""The whole message of each refusal: what was given, what is allowed, what to do."""
# ruff: noqa: E501 - whole messages

from inline_snapshot import snapshot

from tpuserve import catalog


def test_machine_type_without_tpu_chips() -> None:
    assert catalog.check_machine_type("n1-standard-4") == snapshot(
        "'n1-standard-4' is not a TPU machine type of Vertex AI; use ct6e-standard-1t (1 chip), ct6e-standard-4t (4 chips), ct6e-standard-8t (8 chips), ct5lp-hightpu-1t (1 chip), ct5lp-hightpu-4t (4 chips) or ct5lp-hightpu-8t (8 chips)"
    )


def test_accelerator_beside_a_tpu_machine_type() -> None:
    assert catalog.check_accelerator_fields("ct6e-standard-1t", ["acceleratorType"]) == snapshot(
        "acceleratorType cannot be given beside 'ct6e-standard-1t': its 1 chip is part of the machine type; remove acceleratorType"
    )


def test_both_accelerator_fields_beside_a_larger_machine_type() -> None:
    fields = ["acceleratorType", "acceleratorCount"]

    assert catalog.check_accelerator_fields("ct5lp-hightpu-4t", fields) == snapshot(
        "acceleratorType and acceleratorCount cannot be given beside 'ct5lp-hightpu-4t': its 4 chips are part of the machine type; remove acceleratorType and acceleratorCount"
    )


def test_one_slice() -> None:
    assert catalog.check_collection(1, "v6e-8", "AVAILABILITY_OPTIMIZED") == snapshot(
        [
            (
                "node_count",
                "1 is too few: several slices in one request are at least 2; give 2 or more (a single slice is a QueuedResource with a nodeId)",
            )
        ]
    )


def test_accelerator_type_of_a_size_that_does_not_exist() -> None:
    assert catalog.check_accelerator_type("v6e-5") == snapshot(
        "'v6e-5' is not an accelerator type; nearest: v6e-4 or v6e-8; allowed: v6e-1, v6e-4, v6e-8, v6e-16, v6e-32, v6e-64, v6e-128 and v6e-256"
    )


def test_accelerator_type_above_the_largest() -> None:
    assert catalog.check_accelerator_type("v5litepod-512") == snapshot(
        "'v5litepod-512' is not an accelerator type; nearest: v5litepod-256; allowed: v5litepod-1, v5litepod-4, v5litepod-8, v5litepod-16, v5litepod-32, v5litepod-64, v5litepod-128 and v5litepod-256"
    )


def test_v5e_in_a_collection() -> None:
    assert catalog.check_collection(3, "v5litepod-8", "AVAILABILITY-OPTIMIZED") == snapshot(
        [
            (
                "accelerator_type",
                "'v5litepod-8' is v5e, and collections (workload type AVAILABILITY_OPTIMIZED) exist for Trillium (v6e) only; use a v6e type, or leave the workload type out",
            )
        ]
    )


def test_two_faults_in_a_collection() -> None:
    assert [which for which, _ in catalog.check_collection(1, "v5litepod-8", "AVAILABILITY_OPTIMIZED")] == snapshot(
        ["node_count", "accelerator_type"]
    )


def test_workload_type_that_does_not_exist() -> None:
    assert catalog.check_collection(3, "v6e-8", "LATENCY_OPTIMIZED") == snapshot(
        [
            (
                "workload_type",
                "'LATENCY_OPTIMIZED' is not a workload type; use AVAILABILITY_OPTIMIZED or THROUGHPUT_OPTIMIZED",
            )
        ]
    )


def test_zone_without_the_generation() -> None:
    assert catalog.check_zone("us-west4-a", "v6e-8") == snapshot(
        "'us-west4-a' has no Trillium (v6e), which v6e-8 needs; documented zones: us-central1-b, us-east1-d, us-east5-a, us-east5-b, us-central1-ai1, us-south1-ai1b or europe-west4-a"
    )


def test_text_that_is_no_zone() -> None:
    assert catalog.check_zone("us-east5", "v6e-8") == snapshot(
        "'us-east5' is not a valid zone; allowed: a region and a zone in it, such as us-east5-b"
    )


def test_traffic_that_sums_to_90() -> None:
    assert catalog.check_traffic_split({"stable": 80, "canary": 10}, ["stable", "canary"]) == snapshot(
        "stable 80 + canary 10 sums to 90; shares must sum to 100"
    )


def test_traffic_for_a_variant_that_does_not_exist() -> None:
    assert catalog.check_traffic_split({"stabel": 100}, ["stable", "canary"]) == snapshot(
        "'stabel' is not a variant; variants: stable and canary; did you mean stable?"
    )


def test_traffic_left_out_with_two_variants() -> None:
    assert catalog.check_traffic_split(None, ["stable", "canary"]) == snapshot(
        "left out, and there are several variants (stable and canary); give each its share, 100 in all"
    )


def test_max_below_min_replicas() -> None:
    assert catalog.check_replicas(3, 2) == snapshot(
        [("max", "2 is below the minimum of 3; give at least 3, or lower the minimum")]
    )


def test_no_replicas() -> None:
    assert catalog.check_replicas(0, 2) == snapshot([("min", "0 is not a replica count; give a whole number from 1")])


def test_more_required_replicas_than_can_run() -> None:
    assert catalog.check_replicas(1, 2, 3) == snapshot(
        [("required", "3 can never be available: at most 2 run; give at most 2")]
    )


def test_node_prefix_with_a_space() -> None:
    assert catalog.check_node_prefix("my digits") == snapshot(
        "'my digits' is not a valid node prefix; allowed: letters, digits and _ . ~ + % -"
    )


def test_runtime_version_of_another_generation() -> None:
    assert catalog.check_runtime("v6e-8", "v2-alpha-tpuv5-lite") == snapshot(
        "'v2-alpha-tpuv5-lite' is a runtime version for v5e, and v6e-8 is v6e; use v2-alpha-tpuv6e"
    )


def test_label_that_is_the_providers_own() -> None:
    assert catalog.check_labels({"tpuserve-owner": "me"}) == snapshot(
        [("tpuserve-owner", "keys that begin with 'tpuserve-' are the provider's own; choose another key")]
    )


def test_duration_without_a_unit() -> None:
    assert catalog.check_duration("3600") == snapshot(
        "'3600' is not a duration; give seconds followed by s, such as 3600s"
    )


def test_duration_above_the_limit() -> None:
    assert catalog.check_duration("7201s", at_most=7200) == snapshot("'7201s' is too long; allowed: at most 7200s")


def test_port_out_of_range() -> None:
    assert catalog.check_port(70000) == snapshot("70000 is not a port; give 1 to 65535")


def test_number_beyond_32_bits() -> None:
    """The fields are int32 at Google."""
    assert catalog.check_at_least(0, 2**31) == snapshot("2147483648 is too large; allowed: at most 2147483647")
    assert catalog.check_replicas(2**31) == snapshot([("min", "2147483648 is too many; give at most 2147483647")])
