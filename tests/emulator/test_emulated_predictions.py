"""Predictions: chosen by the split, never blocked, honest about a dead server."""

import threading
import time
from collections import Counter

import pytest
from google.protobuf.struct_pb2 import Value
from hypothesis import given
from hypothesis import strategies as st

from tests.emulator.google import LOCATION, Google, refused
from tpuserve.emulator.vertex.values import fill, python_of

JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def test_an_answer_says_who_gave_it(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    answer = cloud.predictions.predict(endpoint=endpoint, instances=[1.0])

    assert (answer.deployed_model_id, answer.model_version_id, answer.model_display_name) == (identifier, "1", "digits")


def test_the_echo_holds_every_instance_and_the_version(cloud: Google) -> None:
    endpoint, _, _ = cloud.serving()
    answer = cloud.predictions.predict(endpoint=endpoint, instances=[1.0, 2.0])

    assert [(item["instance"], item["version"]) for item in answer.predictions] == [(1.0, "1"), (2.0, "1")]


def test_answers_follow_the_split(cloud: Google) -> None:
    endpoint, model, first = cloud.serving()
    second = cloud.deploy(endpoint, model, split={"0": 25, first: 75})
    answers = (cloud.predictions.predict(endpoint=endpoint, instances=[1.0]) for _ in range(400))
    counted = Counter(answer.deployed_model_id for answer in answers)

    assert 60 <= counted[second] <= 140


def test_a_share_of_0_gets_nothing(cloud: Google) -> None:
    endpoint, model, first = cloud.serving()
    cloud.deploy(endpoint, model, split={"0": 0, first: 100})
    answers = (cloud.predictions.predict(endpoint=endpoint, instances=[1.0]) for _ in range(50))

    assert {answer.deployed_model_id for answer in answers} == {first}


def test_an_endpoint_without_a_split_does_not_answer(cloud: Google) -> None:
    with refused("FAILED_PRECONDITION", "traffic_split"):
        cloud.predictions.predict(endpoint=cloud.endpoint(), instances=[1.0])


def test_a_missing_endpoint_is_not_found(cloud: Google) -> None:
    with refused("NOT_FOUND"):
        cloud.predictions.predict(endpoint=f"{LOCATION}/endpoints/serving", instances=[1.0])


def test_a_dead_server_is_unavailable(cloud: Google) -> None:
    endpoint, _, identifier = cloud.serving()
    cloud.control.kill(f"endpoints/serving/deployedModels/{identifier}")

    with refused("UNAVAILABLE", identifier):
        cloud.predictions.predict(endpoint=endpoint, instances=[1.0])


def test_running_operations_do_not_hold_an_answer_up(cloud: Google) -> None:
    endpoint, model, _ = cloud.serving()
    cloud.control.hold("deploy_model")
    for _ in range(20):
        cloud.begin_deploy(endpoint, model)
    began = time.monotonic()
    for _ in range(20):
        cloud.predictions.predict(endpoint=endpoint, instances=[1.0])

    assert time.monotonic() - began < 2


def test_no_answer_is_lost_while_models_come_and_go(cloud: Google) -> None:
    endpoint, model, first = cloud.serving()
    failures: list[Exception] = []
    answered, stop = threading.Semaphore(0), threading.Event()

    def ask() -> None:
        while not stop.is_set():
            try:
                cloud.predictions.predict(endpoint=endpoint, instances=[1.0])
            except Exception as error:
                failures.append(error)
            answered.release()

    thread = threading.Thread(target=ask)
    thread.start()
    for _ in range(5):
        second = cloud.deploy(endpoint, model)
        cloud.update_split(endpoint, {second: 100})
        cloud.undeploy(endpoint, first)
        first = second
        answered.acquire()
    stop.set()
    thread.join()

    assert failures == []


@given(JSON)
def test_json_survives_the_way_to_a_value_and_back(found: object) -> None:
    assert python_of(fill(Value(), found)) == found


@pytest.mark.parametrize(("number", "text"), [(3.0, "3"), (3.5, "3.5"), (-0.25, "-0.25")])
def test_whole_numbers_are_whole(number: float, text: str) -> None:
    assert str(python_of(Value(number_value=number))) == text
