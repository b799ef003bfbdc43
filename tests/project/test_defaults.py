"""Defaults: what a host passes is used, also if it is falsy, as an object with `__len__` is while it is empty."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT, parsed, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUES = {"None", "Callable", "Mapping", "Sequence", "Collection", "Iterable"}
"""Types whose empty values mean as much as None, and functions."""


def _replaced(text: str) -> list[str]:
    """Return each `name or Class(…)` whose name is a parameter that may be None or an object of a class."""
    found = [each for each in ast.walk(parsed(text)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    return sorted({f"{each.lineno}: {ast.unparse(each)}" for function in found for each in _defaults(function)})


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.BoolOp]:
    given = function.args
    annotations = {each.arg: each.annotation for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            first, *rest = node.values
            annotation = annotations.get(first.id) if isinstance(first, ast.Name) else None
            if annotation and any(isinstance(each, ast.Call) for each in rest) and _may_be_object(annotation):
                yield node


def _may_be_object(annotation: ast.expr) -> bool:
    """Whether an annotation is `X | None`, for a class that is not built in and no container."""
    first, _, last = ast.unparse(annotation).rpartition(" | ")
    name = re.match(r"[\w.]*", first)
    return last == "None" and name is not None and name[0][:1].isupper() and name[0] not in _VALUES


@pytest.mark.parametrize(
    ("parameter", "default", "is_found"),
    [
        ("a: Counters | None", "a or MemoryCounters()", True),
        ("*, a: Store[Any] | None = None", "a or open_store('a')", True),
        ("a: Store | None", "MemoryStore() if a is None else a", False),
        ("a: Store | None", "a or b.store", False),
        ("a: Mapping[str, int] | None", "a or dict()", False),
        ("a: str | None", "a or new_id()", False),
        ("a: Store", "a or MemoryStore()", False),
        ("b: Store | None", "a or MemoryStore()", False),
    ],
)
def test_objects_that_are_replaced_while_they_are_falsy_are_found(parameter: str, default: str, is_found: bool) -> None:
    assert bool(_replaced(f"def f({parameter}):\n    return {default}")) is is_found


@pytest.mark.xdist_group("source")
def test_no_object_that_a_host_passes_is_replaced_because_it_is_falsy() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{place}"
        for file in sources("toolgen")
        for place in _replaced(file.read_text(encoding="utf-8"))
    ]
    assert found == []
