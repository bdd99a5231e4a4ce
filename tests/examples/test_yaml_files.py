"""Files of YAML that this project gives: Pulumi refuses a key that is there twice, and PyYAML takes the last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("examples", "stacks") for path in (ROOT / folder).rglob("*.y*ml"))


class Strict(yaml.SafeLoader):
    """A loader that refuses a key that is there twice."""


def _mapping(loader: Strict, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [key.value for key, _ in node.value]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise yaml.YAMLError(f"line {node.start_mark.line + 1}: {', '.join(sorted(twice))} twice")
    return loader.construct_mapping(node, deep=True)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_key_is_there_twice(path: Path) -> None:
    for document in yaml.load_all(path.read_text(encoding="utf-8"), Strict):
        assert document


def test_a_key_that_is_there_twice_is_refused() -> None:
    with pytest.raises(yaml.YAMLError, match="line 1: a twice"):
        yaml.load("a: 1\na: 2\n", Strict)
