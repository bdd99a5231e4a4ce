"""`python -m tools.docs resources` writes docs/resources.md, docs/policies.md, docs/emulator-methods.md
and the tables of docs/components.md; `... up` runs `make up` and records what it prints."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tools.docs import components, methods, policies, recording, resources

ROOT = Path(__file__).parent.parent.parent


def main(arguments: Sequence[str]) -> int:
    """Write what was named."""
    if arguments == ["resources"]:
        (ROOT / "docs" / "resources.md").write_text(resources.page() + "\n", encoding="utf-8")
        (ROOT / "docs" / "policies.md").write_text(policies.page() + "\n", encoding="utf-8")
        page = ROOT / "docs" / "components.md"
        page.write_text(components.with_reference(page.read_text(encoding="utf-8")), encoding="utf-8")
        methods.PAGE.write_text(methods.page(), encoding="utf-8")
        return 0
    if arguments == ["up"]:
        return recording.record(ROOT)
    sys.stderr.write(f"{__doc__}\n")
    return 2


sys.exit(main(sys.argv[1:]))
