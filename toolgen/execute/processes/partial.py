"""The output of a program whose call was cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.contract.records import PARTIAL_OUTPUT

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta


def report_partial(meta: ToolCallMeta, stdout: bytes, stderr: bytes) -> None:
    """Report the output so far of a call. Bytes that are not UTF-8 become U+FFFD."""
    output = {"stdout": stdout.decode(errors="replace"), "stderr": stderr.decode(errors="replace")}
    if stdout or stderr:
        meta.report({name: text for name, text in output.items() if text}, PARTIAL_OUTPUT)
