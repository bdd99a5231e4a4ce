"""docs/policies.md: each rule of the pack from its own metadata, under a head on how the pack is run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tpuserve.policies import exemptions  # pyright: ignore[reportMissingImports]
from tpuserve.policies.families import FAMILIES  # pyright: ignore[reportMissingImports]
from tpuserve.policies.family import Family  # pyright: ignore[reportMissingImports]

HEAD = """\
# Policies

Made by `python -m tools.docs resources` from the rules' own metadata (`policies/`); a test fails when this page is
stale. The pack looks at programs that use the components, at raw `tpuserve:*` resources, and at raw pulumi-gcp ones. It
asks the same functions of the catalog as the provider's Check, so the two never disagree; a stack may allow less.

## Ways of running it

- **Preview**: `pulumi preview --policy-pack policies/analyzer --policy-pack-config stacks/policy-config.prod.json`. A
  mandatory violation fails it, before anything is asked of Google.
- **Update**: the same flags on `pulumi up`. A rule on a resource blocks before that one is made. A rule on the whole
  stack blocks in the preview, and with `--skip-preview` only when everything has been made: pipelines preview first.
- **A state**: `pulumi policy analyze --file state.json` (what `pulumi stack export` wrote; or `--stack NAME`) with the
  same flags. No program runs. Exit code 1 for a mandatory violation.
- **Events alone**: `tpuserve policy check events.json --config stacks/policy-config.prod.json --strict`. Exit code 1
  for a mandatory violation, and with `--strict` for anything not checked; 2 if it could not be carried out.

An official CLI can be given the folder (`--policy-pack policies`); the language host that `make` builds is too old to
start it so.

Events are what `pulumi preview --json` writes with `PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true`, or `--event-log FILE`
with `PULUMI_DEBUG_COMMANDS=true`. They do not say from which resource a value comes, so rules that join resources by
that know them by name alone there, and say what they could not check. A secret is not known there, and
`ignoreChanges` is not seen. A run that failed or was cut off is said, for what the program declares after that is
missing.

## Levels

`stacks/policy-config.<stack>.json` says for each policy its level, its configuration, or both; `all` is for every
policy that has no level of its own. A development stack takes advice, a production stack is blocked:

```json
{"all": "advisory"}
```

```json
{
  "machine-types": {"allowed": ["ct6e-standard-1t", "ct6e-standard-4t"]},
  "containers-versions": "mandatory",
  "strict": "mandatory"
}
```

Levels are `advisory`, `mandatory`, `disabled`, and `remediate` where a rule has a remedy: the engine then applies it.
`"all": "remediate"` mends what has a remedy and blocks for the rest; the twins stay advisory. A policy name that the
pack does not have is refused, and so are a key that the policy does not read and what its schema does not allow.

## What could not be checked

A value that is not known before the update cannot be checked in a preview. Each rule has a twin, `<rule>-unchecked`,
that says which value that was. It is advisory, sees the configuration of its rule, and is silent where its rule is
disabled.

## Strict

Strict mode is one switch: policy `strict` at level `mandatory` raises the twin of every rule that is
not disabled to mandatory. `"all": "mandatory"` is strict as well.

## Exemptions

```json
{
  "exemptions": {
    "list": [
      {
        "policy": "machine-types",
        "resource": "digits",
        "owner": "ml-platform",
        "reason": "trial of the 8-chip machine",
        "expires": "2026-12-31"
      }
    ]
  }
}
```

"""
TAIL = """\
What an exemption covers is shown as advice, with owner, reason and last day: what the rule says of the resource, and
its twin, in strict mode too. A sum over the stack (`quotas`, `budget`) is no resource's: `*` covers it. After its last
day it is void: the violation blocks again and names the exemption that expired, and policy `exemptions` (advisory) says
so even where nothing is violated any more, as it says where no resource of the stack is named so.
`"exemptions": "disabled"` silences that policy; what is exempted stays so. The date is that of the machine that runs
the pack. The engine's own `exceptions` (configuration of version 2) have no last day, and `tpuserve policy check` does
not read them.

## The rules
"""


def page() -> str:
    """The page."""
    return "\n".join([HEAD + _fields(), TAIL, _overview(), *(_section(family) for family in FAMILIES)]).rstrip()


def _fields() -> str:
    item = exemptions.schema([]).properties["list"]["items"]["properties"]
    words = {"policy": "Name of the rule.", "reason": "Why it was agreed."}
    rows = [f"| `{name}` | {each.get('description') or words[name]} |" for name, each in item.items()]
    return "\n".join(["| field | is |", "| --- | --- |", *rows, ""])


def _overview() -> str:
    rows = [f"| [`{each.name}`](#{each.name}) | {each.level.value} | {each.description} |" for each in FAMILIES]
    return "\n".join(["| rule | level | says |", "| --- | --- | --- |", *rows, ""])


def _section(family: Any) -> str:
    return "\n".join(_lines(family))


def _lines(family: Any) -> Iterator[str]:
    yield f"### {family.name}\n\n{family.description}\n"
    yield f"- {family.display_name}: {family.level.value}, severity {family.severity.value}; {_kind(family)}"
    yield f"- looks at {', '.join(f'`{token}`' for token in family.tokens)}"
    yield f"- what to do: {family.remediation}"
    if getattr(family, "remedy", None):
        yield "- has a remedy: level `remediate` applies it"
    if family.config_schema:
        yield from _configuration(family.name, family.config_schema.properties)
    yield ""


def _kind(family: Any) -> str:
    return "a rule on a resource" if isinstance(family, Family) else "a rule on the whole stack"


def _configuration(name: str, properties: Mapping[str, Any]) -> Iterator[str]:
    for key, schema in properties.items():
        shape = json.dumps({word: each for word, each in schema.items() if word != "description"})
        yield f"- `{name}.{key}`: {schema.get('description', '')}\n\n  ```json\n  {shape}\n  ```\n"
