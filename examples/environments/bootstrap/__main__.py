"""Where all stacks keep their states, and the accounts that preview and update those of each environment. Its own state
begins in a folder, for there is nowhere else yet.
"""

import pulumi
from tpuserve.components import PipelineAccount, StateStore  # pyright: ignore[reportMissingImports]

config = pulumi.Config("tpu-bootstrap")
accounts = {
    environment: {does: PipelineAccount(f"{environment}-{does}", {**args, "does": does}) for does, args in pair.items()}
    for environment, pair in config.require_object("pipelines").items()
}
people = config.get_object("people") or {}
environments = {
    environment: {
        "readers": {"preview": pair["preview"].member},
        "writers": {"deploy": pair["deploy"].member, **people},
    }
    for environment, pair in accounts.items()
}
store = StateStore("states", {**config.require_object("store"), "environments": environments})

pulumi.export("backendUrl", store.backend_url)
pulumi.export("secretsProviders", store.secrets_providers)
emails = {name: {does: each.email for does, each in pair.items()} for name, pair in accounts.items()}
pulumi.export("accounts", emails)
