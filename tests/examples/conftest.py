"""The sample model and its server in this process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from digits_client import listening

from examples.digits import held_out, model, offline
from examples.digits.predictor import Predictor
from examples.digits.service import Service

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def params() -> model.Params:
    return model.load(held_out.FOLDER / model.WEIGHTS_FILE)


@pytest.fixture(scope="session")
def predictor(params: model.Params) -> Predictor:
    return Predictor(params)


@pytest.fixture(scope="session")
def reference() -> offline.Offline:
    return offline.answers()


@pytest.fixture(scope="session")
def digits() -> list[held_out.HeldOutDigit]:
    return held_out.digits()


@pytest.fixture
def warm(predictor: Predictor) -> Iterator[int]:
    """The port of a service that is ready."""
    service = Service("version-1")
    service.ready(predictor)
    with listening(service) as port:
        yield port


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run code in a fresh interpreter in the project's folder."""
    return lambda code: subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
