"""Real predictions: each slice by plain HTTP, the endpoint through Vertex AI's own method, and the model offline."""

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.local.answers import Answers
from tools.local.serving import Serving
from tpuserve.google import CloudError, Google

PREDICT_ROUTE = "/predict"
TIMEOUT = 30.0
BATCH = 10  # digits in one request
Picture = Sequence[float]


class OfflineError(Exception):
    """The model could not be run offline."""


def ask_slices(serving: Serving, pictures: Sequence[Picture]) -> list[Answers]:
    """Ask each slice of the collection."""
    return [ask_slice(each.name, each.address, pictures) for each in serving.slices]


def ask_slice(name: str, address: str, pictures: Sequence[Picture]) -> Answers:
    """Ask one server over HTTP at its predict route."""
    if not address:
        return Answers(name, "", fault="has no address")
    url = f"http://{address}{PREDICT_ROUTE}"
    try:
        predictions = [item for batch in _batches(pictures) for item in _post(url, batch)]
    except urllib.error.HTTPError as error:
        return Answers(name, address, fault=f"HTTP {error.code}: {error.read(400).decode(errors='replace')}")
    except (OSError, ValueError, KeyError) as error:
        return Answers(name, address, fault=str(error))
    return _answers(name, address, predictions)


def ask_endpoint(url: str, serving: Serving, pictures: Sequence[Picture]) -> Answers:
    """Ask the endpoint by PredictionService.Predict, as any client of Vertex AI does."""
    try:
        predictions = asyncio.run(_predict(url, serving, pictures))
    except CloudError as error:
        return Answers("endpoint", url, fault=f"{error.code}: {error.message}")
    return _answers("endpoint", url, predictions)


class Offline:
    """The model run without any server, in a process of its own beside the questions."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "examples.digits.offline"]
        self._process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def answers(self) -> Answers:
        """Its answers, once it has ended."""
        said, complained = self._process.communicate()
        if self._process.returncode:
            raise OfflineError(f"the model does not run offline:\n{complained.strip()}")
        value = json.loads(said)
        return Answers("offline", "", tuple(value["digits"]), tuple(tuple(row) for row in value["logits"]))


async def _predict(url: str, serving: Serving, pictures: Sequence[Picture]) -> list[Mapping[str, Any]]:
    google = Google(endpoints={"aiplatform": url})
    predictions: list[Mapping[str, Any]] = []
    try:
        for batch in _batches(pictures):
            request = {"endpoint": serving.endpoint, "instances": [list(picture) for picture in batch]}
            answer = await google.call("Predict", request, serving.location)
            predictions += answer.get("predictions", [])
    finally:
        await google.close()
    return predictions


def _post(url: str, pictures: Sequence[Picture]) -> list[Mapping[str, Any]]:
    body = json.dumps({"instances": [list(picture) for picture in pictures]}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310
    # Never through a proxy of the user's shell: slices of this stack are on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=TIMEOUT) as answer:
        return json.load(answer)["predictions"]


def _answers(who: str, address: str, predictions: Sequence[Mapping[str, Any]]) -> Answers:
    try:
        digits = tuple(int(item["digit"]) for item in predictions)
        logits = tuple(tuple(map(float, item["logits"])) for item in predictions)
    except (KeyError, TypeError, ValueError) as error:
        return Answers(who, address, fault=f"answers in another shape ({type(error).__name__}: {error})")
    return Answers(who, address, digits, logits)


def _batches(pictures: Sequence[Picture]) -> list[Sequence[Picture]]:
    return [pictures[begin : begin + BATCH] for begin in range(0, len(pictures), BATCH)]
