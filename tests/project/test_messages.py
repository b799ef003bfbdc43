"""Messages of the project's own: none is mistaken for one with a secret."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests.project.checkout import ROOT, parsed
from toolgen.runtime.redact.redact import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = ("agents", "contract", "engine", "execute", "llm", "record", "runtime", "serve", "toolsets")
"""Packages whose messages become results of calls, records or logs, which are redacted."""

_USER_IN_URL = re.compile(r"://\w+(:\w+)?@")


def _messages(text: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that people or models read, with something in the place of what is filled in."""
    tree = parsed(text)
    silent = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            filled = (each.value if isinstance(each, ast.Constant) else "something" for each in node.values)
            yield node.lineno, "".join(map(str, filled))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in silent | parts:
            yield node.lineno, node.value


@pytest.mark.xdist_group("source")
@pytest.mark.parametrize("package", RESULTS)
def test_no_message_is_redacted(package: str) -> None:
    redacted = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for path in sorted((ROOT / "toolgen" / package).rglob("*.py"))
        for line, message in _messages(path.read_text(encoding="utf-8"))
        if " " in message and not _USER_IN_URL.search(message) and redact_text(message) != message
    ]
    assert redacted == []
