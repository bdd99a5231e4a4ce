"""Where the discovery documents are: in google-api-python-client, which is not needed for anything else here."""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tpuserve.emulator.rest.discovery import Document, read

# The first segment of a path -> the document. /ui: the one that Google's own REST clients of Vertex AI ask for
# operations at (google.cloud.aiplatform_v1, endpoint_service/transports/rest_base.py, GetOperation).
DOCUMENTS = {
    "v2alpha1": "tpu.v2alpha1",
    "v2": "tpu.v2",
    "v1": "aiplatform.v1",
    "v1beta1": "aiplatform.v1beta1",
}
SAME_AS = {"ui": "v1"}


def folder() -> Path | None:
    """The folder of the documents; None where google-api-python-client is not installed."""
    found = find_spec("googleapiclient")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "discovery_cache" / "documents"


@cache
def document(name: str) -> Document:
    """A document by its name, such as tpu.v2. Some take 0.1 s, so each is read when it is first needed."""
    where = folder()
    if where is None:
        raise LookupError("REST needs google-api-python-client: install tpuserve[emulator]")
    return read(json.loads((where / f"{name}.json").read_text(encoding="utf-8")))
