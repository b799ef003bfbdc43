"""Fixes: edits that correct findings of lint, and misspelled names that a diagnostic knows the right one of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolgen.authoring.text.edits import Fix, TextEdit
from toolgen.compiler.source.nodes import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.authoring.language_server.workspace import Checked
    from toolgen.compiler.diagnostics.diagnostic import Diagnostic

_MEANT: Final = re.compile(r"did you mean `([^`]+)`\?")
_QUOTED: Final = re.compile(r"`([^`]+)`")


def fixes_of(checked: Checked, path: str, text: str) -> Iterator[tuple[Diagnostic, Fix]]:
    """Yield the findings in a file that can be fixed, with their fixes. None if the text is not the one checked."""
    if checked.texts.get(path) != text:
        return
    for found in checked.found.get(path, ()):
        fix = checked.fixes.get(found) or _spelling(found, path, text)
        if fix is not None and all(edit.file == path for edit in fix.edits):
            yield found, fix


def _spelling(found: Diagnostic, path: str, text: str) -> Fix | None:
    """Return the fix of a misspelled name: it is in the message, once in the range, and the right one in the hint."""
    meant = _MEANT.fullmatch(found.fix)
    if meant is None:
        return None
    start, end = Source(path, text).offsets(found.span)
    for wrong in _QUOTED.findall(found.message):
        if text.count(wrong, start, end) == 1:
            at = text.index(wrong, start, end)
            return Fix(f"Write `{meant[1]}`", (TextEdit(path, at, at + len(wrong), meant[1]),))
    return None
