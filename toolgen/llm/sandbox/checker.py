"""Type checking of code with the sandbox's type checker, without running it.

A session takes 15 ms to start and 0.3 ms for a small text, so one session checks the texts of many snippets. Code is
never run in it, and code that is not run leaves no names behind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.llm.sandbox.process import SnippetFailed, WorkerLost
from toolgen.llm.sandbox.sandbox_code import TYPES, private_name

if TYPE_CHECKING:
    from toolgen.llm.codeact.limits import CodeActLimits
    from toolgen.llm.sandbox.process import Process

_SUSPENSIONS: Final = 100_000
"""A check takes one or two, and a process is replaced long before it has used so many."""


@dataclass(frozen=True, slots=True)
class TypeCheckError:
    """A diagnostic of the type checker. Lines and columns count from 1; the end is after the last character."""

    line: int
    column: int
    end: tuple[int, int]
    rule: str
    message: str

    def moved_up(self, lines: int) -> TypeCheckError:
        """Return a copy for the text without that many preceding lines."""
        return replace(self, line=self.line - lines, end=(self.end[0] - lines, self.end[1]))

    def holds(self, other: TypeCheckError) -> bool:
        """Whether the range of another diagnostic is within the range of this one."""
        start, others = (self.line, self.column), (other.line, other.column)
        return start <= others and other.end <= self.end and (start, self.end) != (others, other.end)


async def check(process: Process, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
    """Check a text. Raises `SnippetFailed` for a syntax error, and `WorkerLost`."""
    try:
        return await process.call(limits.seconds, partial(_check, process, text, limits))
    except SnippetFailed as failure:
        raise failure.moved_up(1) from None


def _check(process: Process, text: str, limits: CodeActLimits) -> list[TypeCheckError]:
    import pydantic_monty as monty

    if process.session is None:
        process.guard = private_name("checked")
        process.check_out(
            limits={"max_memory": limits.memory_bytes, "max_suspensions": _SUSPENSIONS},
            type_check=True,
            type_check_stubs=f"{TYPES}def {process.guard}() -> None: ...\n",
            type_check_format="json",
        )
    assert process.session is not None
    try:
        snapshot: Any = process.session.feed_start(f"{process.guard}()\n{text}")
    except monty.MontyTypingError as error:
        return [_type_check_error(each) for each in json.loads(error.display())]
    # The guard is called if there were no errors. It raises, so that nothing after it is run.
    while not isinstance(snapshot, monty.MontyComplete):
        try:
            snapshot = snapshot.resume({"exception": KeyboardInterrupt()})
        except monty.MontyRuntimeError:
            return []
    raise WorkerLost("it was run where it should have been checked")


def _type_check_error(found: dict[str, Any]) -> TypeCheckError:
    start, end = found["location"], found["end_location"]
    return TypeCheckError(
        start["row"] - 1, start["column"], (end["row"] - 1, end["column"]), found["name"], found["message"]
    )
