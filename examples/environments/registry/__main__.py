"""The images of all environments, in a project of its own: the outputs are a `RegistryContract`."""

import pulumi
from tpuserve.components import EncryptionKey, ImageRepository  # pyright: ignore[reportMissingImports]

args = pulumi.Config("tpu-registry").require_object("repository")
place = {key: args[key] for key in ("project", "location")}
key = EncryptionKey("images", {**place, "services": ["artifactregistry"], "labels": args.get("labels")})
made = ImageRepository("images", {**args, "kms_key_name": key.key_name})

pulumi.export("project", args["project"])
pulumi.export("location", args["location"])
pulumi.export("repository", made.repository.repository_id)
