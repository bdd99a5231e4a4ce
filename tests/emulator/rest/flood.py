"""Generated requests sent one after the other, and what each method made of them."""

from collections import Counter, defaultdict
from typing import NamedTuple

from tests.emulator.rest.generated import BODIES, Drawn, Sent
from tests.emulator.rest.http_client import ENDPOINTS, MODELS, QUEUED, UPLOAD, Response, Rest, collection
from tpuserve.emulator import Emulator, Settings

FRESH = 500  # requests after which the emulator begins anew


class Flood(NamedTuple):
    """How each method's requests were answered, and what should never have been."""

    answers: dict[str, Counter[str]]  # method -> status -> how often
    failures: list[tuple[Sent, str]]  # requests that the emulator itself failed at

    def past_validation(self, of: str) -> float:
        """The share that no rule about the request itself refused."""
        found = self.answers[of]
        return 1 - found["INVALID_ARGUMENT"] / found.total()


def arranged(rest: Rest) -> None:
    """A model of two versions, one of them deployed, and a collection: what generated names are about."""
    model = {**UPLOAD["model"], "versionAliases": ["golden"]}
    ended(rest, rest.post(f"{MODELS}:upload", {"modelId": "a", "model": model}))
    ended(rest, rest.post(f"{MODELS}:upload", {"parentModel": f"{MODELS[4:]}/a", "model": UPLOAD["model"]}))
    ended(rest, rest.post(f"{ENDPOINTS}?endpointId=a", {"displayName": "a"}))
    (deploy,) = BODIES["endpoints.deployModel"]
    ended(rest, rest.post(f"{ENDPOINTS}/a:deployModel", {**deploy, "trafficSplit": {"0": 100}}))
    ended(rest, rest.post(f"{QUEUED}?queuedResourceId=a", collection()))


def ended(rest: Rest, begun: Response) -> None:
    """Waits for the operation that an answer is."""
    version = "v1" if "us-east5/" in begun.value()["name"] else "v2alpha1"
    while not rest.get(f"/{version}/{begun.value()['name']}").value().get("done"):
        pass


def flooded(requests: int, seed: int) -> Flood:
    """Sends that many; every answer is held against its schema."""
    drawn, answers, failures = Drawn(seed), defaultdict[str, Counter[str]](Counter), list[tuple[Sent, str]]()
    with Emulator(Settings(seed=seed)).running() as emulator:
        rest = Rest(emulator.addresses.rest)
        for number in range(requests):
            if number % FRESH == 0:
                emulator.control.reset()
                arranged(rest)
            sent = drawn.request(number)
            answer = rest.ask(sent.http_method, sent.target, sent.body)
            status = "OK" if answer.status == 200 else answer.value()["error"]["status"]
            answers[sent.of][status] += 1
            if status in {"INTERNAL", "UNKNOWN"} or emulator.misfits:
                failures.append((sent, "; ".join(emulator.misfits) or answer.error()))
                emulator.misfits.clear()
        rest.close()
    return Flood(dict(answers), failures)
