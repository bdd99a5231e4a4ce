"""Property paths in Pulumi's own notation: `tpu.nodeSpec[0].node.labels["a.b"]`."""

from __future__ import annotations

Step = str | int


def join(steps: tuple[Step, ...]) -> str:
    """The path of `steps`; a key with a dot or a bracket is quoted, as Pulumi's parser wants it."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif any(mark in step for mark in '.[]"'):
            text += f'["{step}"]'
        else:
            text += f".{step}" if text else step
    return text
