"""The program that is measured: as many resources as asked for, of all four kinds, a fourth of them each."""

from collections.abc import Callable

from tests.engine.harness.programs import container, variant
from tpuserve import resources


def graph(count: int) -> Callable[[], None]:
    """Groups of a queued resource, a model, an endpoint and its deployment; the rest are endpoints."""

    def program() -> None:
        for number in range(count // 4):
            _group(number)
        for number in range(count % 4):
            resources.Endpoint(f"rest-{number}", {"display_name": "rest"})

    return program


def _group(number: int) -> None:
    resources.QueuedResource(
        f"slices-{number}",
        {
            "tpu": {
                "node_spec": [
                    {
                        "multi_node_params": {"node_count": 2, "workload_type": "AVAILABILITY_OPTIMIZED"},
                        "node": {"accelerator_type": "v6e-8", "runtime_version": "v2-alpha-tpuv6e"},
                    }
                ]
            }
        },
    )
    model = resources.Model(f"model-{number}", {"display_name": "m", "container_spec": container("i:1")})
    endpoint = resources.Endpoint(f"endpoint-{number}", {"display_name": "e"})
    resources.Deployment(
        f"deployment-{number}",
        {"endpoint": endpoint.name, "deployed_models": {"stable": variant(model.version_name)}},
    )
