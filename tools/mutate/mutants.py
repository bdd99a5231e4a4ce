"""One change of a source file at a time (pure): a row of a field table, a condition, two steps in turn."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

# What a change of an argument does, made into another; the names are those of resources/fields.py and its tables.
OTHER_EFFECT = {
    "IN_PLACE": "REPLACE",
    "OURS": "PLACE",
    "REPLACE": "IN_PLACE",
    "PLACE": "OURS",
    "REDEPLOY": "IN_PLACE",
    "NEW_VERSION": "IN_PLACE",
}
EFFECTS = """\
from tpuserve.resources import fields as _fields
IN_PLACE, NEW_VERSION, REDEPLOY, REPLACE = _fields.IN_PLACE, _fields.NEW_VERSION, _fields.REDEPLOY, _fields.REPLACE
OURS, PLACE = _fields.OURS, _fields.PLACE
"""
MARKS = ("check", "same", "spell", "secret", "is_name")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Mutant:
    """`text` is the whole file with the one change that `what` tells."""

    path: str
    line: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.what}"

    @property
    def name(self) -> str:
        """The same wherever in its file the line stands."""
        return f"{self.path} {self.what}"


def rows(path: str, source: str) -> Iterator[Mutant]:
    """Each row of a field table taken out, given another effect, and without each of its marks."""
    for table in ast.parse(source).body:
        if not isinstance(table, ast.ClassDef) or not table.name.endswith("Args"):
            continue
        for row in (item for item in table.body if isinstance(item, ast.AnnAssign)):
            assert isinstance(row.target, ast.Name)
            name = f"{table.name}.{row.target.id}"
            yield Mutant(path, row.lineno, f"{name} taken out", _without_row(source, table, row))
            for what, annotation in _annotations(row.annotation):
                text = _replaced(source, row.annotation, ast.unparse(annotation))
                yield Mutant(path, row.lineno, f"{name} {what}", _with_effects(text))


def conditions(path: str, source: str, functions: Sequence[str]) -> Iterator[Mutant]:
    """In the functions: each part of an `and` or `or` left out, each lone condition taken for true and for false."""
    for function in _functions(ast.parse(source), functions):
        for node in ast.walk(function):
            if isinstance(node, ast.BoolOp) and not any(_is_literal(part) for part in node.values):
                for index, part in enumerate(node.values):
                    text = _replaced(source, node, ast.unparse(_without_part(node, index)))
                    yield Mutant(path, node.lineno, f"{function.name}: without `{ast.unparse(part)}`", text)
            elif isinstance(node, (ast.If, ast.IfExp)) and not isinstance(node.test, ast.BoolOp):
                for value in ("True", "False"):
                    what = f"{function.name}: `{ast.unparse(node.test)}` taken for {value}"
                    yield Mutant(path, node.lineno, what, _replaced(source, node.test, value))


def orders(path: str, source: str, functions: Sequence[str]) -> Iterator[Mutant]:
    """In the functions: two steps that follow one another in turn, and each step that only acts left out."""
    for function in _functions(ast.parse(source), functions):
        for block in _blocks(function):
            for first, second in itertools.pairwise(block):
                if _acts(first) and _acts(second) and _is_edge(first, second):
                    what = f"{function.name}: `{_head(second)}` before `{_head(first)}`"
                    yield Mutant(path, first.lineno, what, _swapped(source, first, second))
            for step in block:
                if isinstance(step, ast.Expr) and _acts(step):
                    text = _replaced(source, step, "pass")
                    yield Mutant(path, step.lineno, f"{function.name}: without `{_head(step)}`", text)


def _annotations(annotation: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(annotation):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
        if name in OTHER_EFFECT:
            yield f"{name} made {OTHER_EFFECT[name]}", _edited(annotation, node, _renamed)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field":
            for index, keyword in enumerate(node.keywords):
                if keyword.arg in MARKS:
                    yield (
                        f"without {keyword.arg}",
                        _edited(annotation, node, lambda call, i=index: call.keywords.pop(i)),
                    )


def _with_effects(text: str) -> str:
    """Every effect is known in the file, whichever its tables had."""
    future = "from __future__ import annotations\n"
    return text.replace(future, f"{future}{EFFECTS}", 1) if future in text else EFFECTS + text


def _edited(root: ast.expr, node: ast.AST, change: Callable[..., object]) -> ast.expr:
    """A copy of `root` in which the counterpart of `node` is changed."""
    place = next(index for index, found in enumerate(ast.walk(root)) if found is node)
    edited = copy.deepcopy(root)
    change(list(ast.walk(edited))[place])
    return edited


def _renamed(node: ast.expr) -> None:
    if isinstance(node, ast.Attribute):
        node.attr = OTHER_EFFECT[node.attr]
    elif isinstance(node, ast.Name):
        node.id = OTHER_EFFECT[node.id]


def _functions(tree: ast.Module, names: Sequence[str]) -> Iterator[Function]:
    found = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name in names]
    if missing := set(names) - {node.name for node in found}:
        raise ValueError(f"no function {', '.join(sorted(missing))}: correct the table in tools/mutate/plan.py")
    yield from found


def _is_literal(part: ast.expr) -> bool:
    """`x or {}` decides nothing."""
    return isinstance(part, (ast.Constant, ast.Dict, ast.List, ast.Tuple, ast.JoinedStr))


def _without_part(node: ast.BoolOp, index: int) -> ast.expr:
    left = [value for place, value in enumerate(node.values) if place != index]
    return left[0] if len(left) == 1 else ast.BoolOp(node.op, left)


def _blocks(function: Function) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _acts(step: ast.stmt) -> bool:
    """A step that waits for something: a call to Google, or a function that makes some; words to the user do not."""
    if not isinstance(step, (ast.Expr, ast.Assign, ast.AugAssign)):
        return False
    called = {
        node.func.attr for node in ast.walk(step) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return any(isinstance(node, ast.Await) for node in ast.walk(step)) and not called & {"say", "status"}


def _is_edge(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether the order of the two is a decision: the second can do without the first, and they do not just read."""
    return not _set(first) & _used(second) and ast.Expr in (type(first), type(second))


def _set(step: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(step) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _used(step: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(step) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _head(step: ast.stmt) -> str:
    return ast.unparse(step).splitlines()[0]


def _offset(source: str, line: int, column: int) -> int:
    lines = source.splitlines(keepends=True)
    return sum(map(len, lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())


def _span(source: str, node: ast.AST) -> tuple[int, int]:
    start = _offset(source, node.lineno, node.col_offset)  # type: ignore[attr-defined]
    return start, _offset(source, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _replaced(source: str, node: ast.AST, text: str) -> str:
    start, end = _span(source, node)
    return f"{source[:start]}({text}){source[end:]}" if text != "pass" else f"{source[:start]}{text}{source[end:]}"


def _swapped(source: str, first: ast.stmt, second: ast.stmt) -> str:
    (start, middle), (after, end) = _span(source, first), _span(source, second)
    return source[:start] + source[after:end] + source[middle:after] + source[start:middle] + source[end:]


def _without_row(source: str, table: ast.ClassDef, row: ast.AnnAssign) -> str:
    """Without the row and the docstring below it; a table that has no other keeps a `pass`."""
    following = table.body[table.body.index(row) + 1 :]
    last: ast.stmt = row
    if following and isinstance(following[0], ast.Expr):
        last = following[0]
    start, end = _span(source, row)[0], _span(source, last)[1]
    return f"{source[:start]}pass{source[end:]}"
