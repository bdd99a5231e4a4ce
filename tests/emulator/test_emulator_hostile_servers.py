"""Model servers that answer what nobody can use: the caller is told, and the emulator goes on."""

from collections.abc import Iterator

import pytest

from tests.emulator.google import LOCATION, Google, google, refused
from tests.emulator.rest.http_client import ENDPOINTS, Rest
from tests.emulator.test_emulator_processes import COMMAND, predict
from tpuserve.emulator import Emulator, Settings
from tpuserve.emulator.settings import Launch

USELESS = ("no number", "deep", "deeper than json", "no utf-8")
BROKEN = ("half", "nothing", "no http")


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    settings = Settings(images={"image": Launch(command=[*COMMAND, "one"])})
    with Emulator(settings).running() as served:
        yield served


@pytest.fixture(scope="module")
def cloud(emulator: Emulator) -> Iterator[Google]:
    with google(emulator) as clients:
        model = clients.upload(model_fields={"container_spec": {"image_uri": "image"}})
        clients.deploy(clients.endpoint(), model, id="7", split={"0": 100})
        yield clients


@pytest.fixture
def rest(emulator: Emulator, cloud: Google) -> Iterator[Rest]:
    asked = Rest(emulator.addresses.rest)
    yield asked
    asked.close()


@pytest.mark.parametrize("order", USELESS)
def test_an_answer_that_is_no_json_of_a_message_is_the_server_s_fault(cloud: Google, order: str) -> None:
    with refused("INTERNAL", "Deployed model 7 must answer a JSON object"):
        predict(cloud, f"{LOCATION}/endpoints/serving", order)


@pytest.mark.parametrize("order", USELESS)
def test_so_it_is_over_rest(rest: Rest, order: str) -> None:
    answer = rest.post(f"{ENDPOINTS}/serving:predict", {"instances": [order]})

    assert answer.error().startswith("Deployed model 7 must answer a JSON object")


@pytest.mark.parametrize("order", BROKEN)
def test_an_answer_that_does_not_come_whole_is_unavailable(cloud: Google, order: str) -> None:
    with refused("UNAVAILABLE", "Deployed model 7 does not answer"):
        predict(cloud, f"{LOCATION}/endpoints/serving", order)


def test_the_next_caller_sees_nothing_of_it(rest: Rest, cloud: Google) -> None:
    for order in (*USELESS, *BROKEN):
        rest.post(f"{ENDPOINTS}/serving:predict", {"instances": [order]})

    assert predict(cloud, f"{LOCATION}/endpoints/serving", 1.0)[0]["tag"] == "one"
