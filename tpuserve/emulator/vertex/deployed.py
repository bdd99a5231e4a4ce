"""A deployed model in its endpoint, by its id."""

from typing import Any


def position(endpoint: Any, identifier: str) -> int | None:
    """Where it is in the endpoint; None where it is not."""
    return next((index for index, model in enumerate(endpoint.deployed_models) if model.id == identifier), None)


def deployed_in(endpoint: Any, identifier: str) -> Any:
    """The deployed model itself; None where it is not there, or the endpoint is None."""
    if endpoint is None or (index := position(endpoint, identifier)) is None:
        return None
    return endpoint.deployed_models[index]
