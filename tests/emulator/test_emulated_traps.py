"""What the two APIs do and a client may not expect: each has a test of its own, which this table names."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
TRAPS = {
    # Vertex AI
    "DeployModel without a split changes none": "deployments: without_a_split_the_split_stays",
    "DeployModel's key 0 is the one being deployed": "deployments: key_0_is_the_model_being_deployed",
    "a split sums to 100": "endpoints: a_split_sums_to_100",
    "an empty split is one, and accepts nothing": "endpoints: an_empty_split_is_taken",
    "a model with traffic is not undeployed": "deployments: a_model_with_traffic_is_not_undeployed",
    "unless the request takes its traffic": "deployments: a_model_is_undeployed_with_a_split_that_takes_its_traffic",
    "undeploying the last empties the split": "deployments: undeploying_the_last_empties_the_split",
    "an endpoint with a network has no split": "endpoint_kinds: an_endpoint_in_a_network_has_no_split",
    "and serves one model": "deployments: an_endpoint_with_a_network_serves_one_model",
    "what is mutable in place": "deployments: a_fixed_field_does_not_change_in_place",
    "an update needs a mask": "endpoints: an_update_needs_a_mask",
    "an update without etag overwrites": "endpoints: without_an_etag_an_update_overwrites",
    "the inference timeout has its own operation": "endpoint_kinds: the_inference_timeout_changes_by_its_own_operation",
    "which blocks all other fields": "endpoint_kinds: a_changing_timeout_blocks_every_other_update",
    "endpoint ids": "endpoints: an_id_has_a_form",
    "deployed model ids": "deployments: an_id_has_a_form",
    "an endpoint with models is not deleted": "endpoints: an_endpoint_with_deployed_models_cannot_be_deleted",
    "a model deployed anywhere is not deleted": "models: a_model_deployed_in_another_location_cannot_be_deleted",
    "nor a deployed version": "models: a_deployed_version_cannot_be_deleted",
    "nor the only one": "models: the_only_version_cannot_be_deleted",
    "versions count up": "models: versions_are_numbered_from_1",
    "an alias with a minus is removed": "models: an_alias_with_a_minus_is_removed",
    "an alias is resolved once": "deployments: an_alias_is_resolved_once",
    "the container is input only": "models: the_container_is_input_only",
    "any route excludes a predict route": "models: an_invoke_route_excludes_a_predict_route",
    "and needs a dedicated endpoint": "deployments: a_model_with_any_route_needs_a_dedicated_endpoint",
    "a dedicated endpoint leaves the shared host": "endpoint_kinds: "
    "the_shared_host_name_does_not_answer_for_an_endpoint_with_one_of_its_own",
    "its host is known when it exists": "endpoint_kinds: the_host_name_of_a_dedicated_endpoint_is_known_when_it_exists",
    "no accelerators beside a TPU machine": "deployments: a_tpu_machine_type_excludes_accelerators",
    "topologies of several hosts": "deployments: a_topology_may_be_of_several_hosts_with_four_chips",
    "two hours at most": "models: a_deployment_may_not_take_more_than_two_hours",
    "stages tell how far it is": "deployments: a_deployment_passes_its_stages",
    "required replicas end it early": "deployments: "
    "a_deployment_ends_with_its_required_replicas_where_the_switch_says_so",
    "a failed one may leave its model": "deployments: a_failed_deployment_may_leave_its_model",
    "one replica at least": "deployments: replicas_that_cannot_be_are_refused",
    "a specific reservation is named": "deployments: a_specific_reservation_is_named",
    # Cloud TPU
    "deletion without force": "queued_resources: without_force_an_active_request_stays",
    "also of one that waits": "queued_resources: without_force_a_waiting_request_stays",
    "quota in every state": "quotas: a_suspended_request_is_charged",
    "deleting the node suspends": "queued_resources: deleting_the_node_suspends_its_request",
    "a window that ends fails, and the request stays": "queueing: a_request_whose_window_ends_fails_and_stays",
    "a request that fails says why": "queued_resources: a_request_that_fails_says_why_and_has_no_nodes",
    "the end of the operation is not ACTIVE": "queued_resources: a_request_waits_for_resources",
    "node ids are prefix and index": "queued_resources: nodes_are_named_by_prefix_and_index",
    "the prefix is the id by default": "queued_resources: the_prefix_is_the_request_s_id_where_none_is_given",
    "node names collide": "queued_resources: a_node_id_in_use_is_refused",
    "a collection of one, and both ways to name nodes": "queued_resources: a_request_that_cannot_be_is_refused",
    "tier and scheduling options may disagree": "queued_resources: tier_and_scheduling_options_may_disagree",
    "a request id is the same request": "queued_resources: the_same_request_id_is_the_same_request",
    "a reset": "attendance: a_reset_restarts_every_node",
    "no capacity is a wait": "capacity: a_request_waits_while_there_are_too_few_chips",
    "no quota is a refusal": "quotas: a_request_beyond_its_limit_is_refused",
}


@pytest.mark.parametrize("trap", TRAPS)
def test_a_trap_has_its_test(trap: str) -> None:
    file, _, name = TRAPS[trap].partition(": ")

    assert f"def test_{name}(" in (HERE / f"test_emulated_{file}.py").read_text(encoding="utf-8")
