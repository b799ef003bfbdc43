"""Foreign errors: whoever handles every exception shows its text by `shown_error` or `explanation`, without secrets.

Code that is not ours raises what it likes, and its texts have URLs with logins, headers and keys.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

import pytest

from tests.project.checkout import ROOT, parsed, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

_EVERYTHING: Final = frozenset({"Exception", "BaseException", "SystemExit"})

SHOWN_AS_THEY_ARE: Final[dict[str, str]] = {}
"""Functions that show the text of any exception as it is, as `file: function`, with the reason."""


def _texts_of_any_error(source: str) -> Iterator[tuple[str, int]]:
    """Yield the function and the line of each place that formats an exception of a broad handler."""
    tree = parsed(source)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in functions:
        for handler in ast.walk(function):
            if not isinstance(handler, ast.ExceptHandler) or handler.name is None or handler.type is None:
                continue
            if not _EVERYTHING & {each.id for each in ast.walk(handler.type) if isinstance(each, ast.Name)}:
                continue
            for node in ast.walk(handler):
                if _is_text_of(node, handler.name):
                    yield function.name, node.lineno  # type: ignore[attr-defined]  # each such node is an expression


def _is_text_of(node: ast.AST, name: str) -> bool:
    """Whether a node is `{error}` in a text, `str(error)` or `repr(error)`."""
    if isinstance(node, ast.FormattedValue):
        return isinstance(node.value, ast.Name) and node.value.id == name
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("str", "repr")):
        return False
    return any(isinstance(each, ast.Name) and each.id == name for each in node.args)


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ('raise ValueError(f"no: {error}")', True),
        ('raise ValueError("no: " + str(error))', True),
        ("text = cut(repr(error), 9)", True),
        ('raise ValueError(f"no: {shown_error(error)}")', False),
        ('raise ValueError(f"{type(error).__name__}") from error', False),
    ],
)
def test_texts_of_any_error_are_found(line: str, is_shown: bool) -> None:
    for kind in ("Exception", "(Exception, SystemExit)", "ValueError"):
        source = f"def f():\n    try:\n        pass\n    except {kind} as error:\n        {line}\n"
        assert bool([*_texts_of_any_error(source)]) == (is_shown and kind != "ValueError")


@pytest.mark.xdist_group("source")
def test_no_text_of_any_error_is_shown_as_it_is() -> None:
    found = {
        f"{path.relative_to(ROOT / 'toolgen').as_posix()}: {function}": line
        for path in sources("toolgen")
        for function, line in _texts_of_any_error(path.read_text(encoding="utf-8"))
    }
    assert found.keys() == SHOWN_AS_THEY_ARE.keys(), found
