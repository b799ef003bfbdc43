"""Bounds: what an import may take in all, whatever it reads. One place for all importers.

What one file may take, in bytes, values and depth, its parsers bound.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NoReturn

from toolgen.compiler.source.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from toolgen.compiler.source.nodes import Node, Source

SECONDS: Final = 600.0
"""Processor time of one import, which takes some ten milliseconds for each tool. Tools share definitions, so a small
document can take any time."""

_AGAIN: Final = 1.0
"""Seconds of processor time after which an import that did not end is interrupted again: code may catch anything."""

READING_SECONDS: Final = 600.0
"""Seconds in which all files of one document are read, so that a slow host cannot keep an import waiting."""

FILES: Final = 10_000
BYTES: Final = 64 * 1024 * 1024
VALUES: Final = 3_000_000
"""Files of one document, and bytes and values of all of them together."""


class TooMuch(Exception):
    """An import has taken all that it may."""


class _Interrupt(KeyboardInterrupt):
    """Ends an import wherever it is: what catches anything that code of a project raises lets this kind pass."""


@contextmanager
def bounded_time() -> Generator[None]:
    """Raise `TooMuch` once what runs in the context has taken its processor time; in the main thread alone.

    What was interrupted may end with an error of its own: compiled code says that a callback of it failed. Any error
    after an interrupt is `TooMuch`, other than a person's own interrupt.
    """
    is_over = False

    def interrupt(_signal: int, _frame: Any) -> NoReturn:
        nonlocal is_over
        is_over = True
        raise _Interrupt

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, _AGAIN)
    try:
        yield
    except BaseException as error:  # compiled code and task groups replace an interrupt
        if is_over and (isinstance(error, _Interrupt) or not isinstance(error, KeyboardInterrupt)):
            raise TooMuch(f"the import has taken {SECONDS:,g} seconds of processor time") from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class Reading:
    """What the files of one document have taken."""

    def __init__(self) -> None:
        self._files = self._bytes = self._values = 0
        self._seconds = 0.0

    def read(self, read: Callable[[], Source]) -> Source:
        """Read a file. Raises what that raises, and ValueError where the document has taken all that it may."""
        if self._files >= FILES:
            raise ValueError(f"the description has over {FILES:,} files")
        if self._seconds >= READING_SECONDS:
            raise ValueError(f"the files of the description took over {READING_SECONDS:,.0f} seconds to read")
        begun = monotonic()
        try:
            source = read()
        finally:
            self._seconds += monotonic() - begun
        self._files += 1
        self._bytes += len(source.text.encode("utf-8", "surrogatepass"))
        if self._bytes > BYTES:
            raise ValueError(f"the files of the description have over {BYTES:,} bytes together")
        return source

    def parsed(self, data: Any) -> None:
        """Count the values of a file. Raises ValueError where there are too many."""
        pending = [data]
        while pending:
            self._values += 1
            value = pending.pop()
            if isinstance(value, dict):
                pending += value.values()
            elif isinstance(value, list):
                pending += value
        if self._values > VALUES:
            raise ValueError(f"the files of the description have over {VALUES:,} values together")


TOOL_VALUES: Final = 1_500_000
"""Values of all tools of an import, without definitions: about three times those of the largest spec file."""

ALL_VALUES: Final = 10_000_000
"""The same with the definitions, which each tool has for itself until they are shared: about a gigabyte."""

TOOL_CHARACTERS: Final = 64 * 1024 * 1024
"""Characters of all texts in the tools, without definitions."""

_DEFINITIONS: Final = frozenset({"$defs", "definitions"})


class Making:
    """What the tools of one import have taken.

    A document says once what many tools have, so that a small one can make any number of values.
    """

    def __init__(self) -> None:
        self._values = self._all = self._characters = 0

    def made(self, tool: Node) -> None:
        """Count the values of a tool. Raises `TooMuch` where there are too many."""
        pending: list[tuple[Node, bool]] = [(tool, True)]
        while pending:
            node, is_own = pending.pop()
            self._all += 1
            self._values += is_own
            if isinstance(node, MappingNode):
                pending += [(inner, is_own and key not in _DEFINITIONS) for key, inner in node.entries()]
            elif isinstance(node, SequenceNode):
                pending += [(inner, is_own) for inner in node.items]
            elif is_own and isinstance(node, ScalarNode) and isinstance(node.value, str):
                self._characters += len(node.value)
        if self._values > TOOL_VALUES:
            raise TooMuch(f"the tools have over {TOOL_VALUES:,} values together")
        if self._all > ALL_VALUES:
            raise TooMuch(f"the tools have over {ALL_VALUES:,} values together, with the definitions that each needs")
        if self._characters > TOOL_CHARACTERS:
            raise TooMuch(f"the texts of the tools have over {TOOL_CHARACTERS:,} characters together")
