"""Environment variables of a served process, and the $(NAME) references that Kubernetes and Vertex AI expand."""

import re
from collections.abc import Iterable, Mapping

_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """The text with each $(NAME) replaced; one that is unknown stays, $$(NAME) becomes $(NAME).

    Source: google.cloud.aiplatform.v1.ModelContainerSpec.command.
    """

    def replacement(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        return variables.get(match[1], match[0])

    return _REFERENCE.sub(replacement, text)


def extended(variables: Mapping[str, str], more: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Variables plus more of them; a later one may refer to an earlier one, never the other way about."""
    result = dict(variables)
    for name, value in more:
        result[name] = expanded(value, result)
    return result
