"""The compiled batches: every number of pictures gives the logits of the model itself."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.digits import model
from examples.digits.predictor import BATCHES

PICTURES = np.random.default_rng(0).integers(0, 17, (300, 64)).astype(np.float32)
EDGES = sorted({size + step for size in BATCHES for step in (-1, 0, 1)} - {0})


@pytest.mark.parametrize("count", [*EDGES, 300])
def test_any_number_of_pictures_gives_the_models_logits(predictor, params, count):
    logits = predictor.logits(PICTURES[:count].tolist())

    assert np.max(np.abs(logits - np.asarray(model.forward(params, jnp.asarray(PICTURES[:count]))))) <= 1e-5


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(40)))
def test_a_pictures_logits_do_not_depend_on_its_neighbours(predictor, order):
    alone = predictor.logits(PICTURES[:40].tolist())

    assert np.max(np.abs(predictor.logits(PICTURES[order].tolist()) - alone[order])) <= 1e-5


@pytest.fixture
def compilations() -> Iterator[list[str]]:
    """The names of what JAX reports while it compiles."""
    seen: list[str] = []

    def listen(event: str, duration_secs: float, **kwargs: str | int) -> None:
        if "compile" in event:
            seen.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    yield seen
    jax.monitoring.unregister_event_duration_listener(listen)


def test_a_request_never_waits_for_the_compiler(predictor, compilations):
    predictor.logits(PICTURES[:9].tolist())

    assert compilations == []


def test_what_is_compiled_is_heard(compilations):
    jax.jit(lambda picture: picture * 3)(PICTURES[0])

    assert [event for event in compilations if "backend_compile" in event]
