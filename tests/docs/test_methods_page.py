"""docs/emulator-methods.md is what the emulator serves now."""

import pytest

from tools.docs import methods
from tpuserve.emulator.rest.documents import DOCUMENTS, document

NAMES = [name for name in DOCUMENTS.values() if name != "aiplatform.v1beta1"]
UNDONE = [route.id for name in NAMES for route in document(name).routes if route.id not in methods.served_of(name)]


def test_the_page_is_as_it_would_be_made_now() -> None:
    made = methods.page()

    assert made == methods.PAGE.read_text(encoding="utf-8"), "stale: run .venv/bin/python -m tools.docs resources"


@pytest.mark.parametrize("pattern", methods.REASONS)
def test_a_reason_is_somethings_reason(pattern: str) -> None:
    assert pattern in {next(methods.patterns(identifier)) for identifier in UNDONE}
