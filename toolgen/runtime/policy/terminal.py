"""The terminal: a permission callback for programs that a person runs. It asks on stderr and reads stdin. POSIX."""

from __future__ import annotations

import asyncio
import os
import sys
from select import select
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.redact.shown_args import joined
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from typing import TextIO

    from toolgen.runtime.policy.permission import PermissionRequest

_ANSWERS: Final = {
    b"y": Decision.ALLOW_ONCE,
    b"yes": Decision.ALLOW_ONCE,
    b"s": Decision.ALLOW_FOR_SESSION,
    b"session": Decision.ALLOW_FOR_SESSION,
    b"n": Decision.DENY,
    b"no": Decision.DENY,
}
_OUTCOMES: Final = {
    Decision.ALLOW_ONCE: "allowed once",
    Decision.ALLOW_FOR_SESSION: "allowed for this session",
    Decision.DENY: "denied",
}
_LONGEST_ANSWER: Final = 64
"""Bytes of a line; a longer one is no answer."""

_LONGEST_FACT: Final = 2000
"""Characters that are shown of one thing that a request says."""

_LABEL: Final = 10
_DEFAULT_COLUMNS: Final = 80


class TerminalPrompt:
    """Asks the person at the terminal: once, for this session where a grant can be kept, or no.

    The end of the input, and any line that is none of the answers, is a no. Questions are asked one after the other,
    so a program needs one prompt for its terminal. It reads the descriptor below `stdin`, up to the end of a line: what
    others have read into a buffer it does not see, and nothing else may read there while it asks.

    A question that is cancelled, as after a timeout, reads no more, and an answer that comes too late for it is not
    taken for that to the next one. At a terminal nothing that was typed before a question appeared answers it.
    """

    def __init__(self, stdin: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self._stdin = stdin or sys.stdin
        self._stderr = stderr or sys.stderr
        self._is_late = False
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def __call__(self, request: PermissionRequest) -> Decision:
        """Ask, and wait for the answer. Raises OSError and ValueError where a stream is closed, or not of a file."""
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            descriptor = self._stdin.fileno()
            if self._is_late or os.isatty(descriptor):
                _forget_what_waits(descriptor)
                self._is_late = False
            self._say(question(request, _columns(self._stderr)))
            try:
                line = await _read_line(descriptor)
            except asyncio.CancelledError:
                self._is_late = True
                self._say("\nnobody answered\n")
                raise
            decision = _ANSWERS.get(line.strip().lower(), Decision.DENY)
            if decision is Decision.ALLOW_FOR_SESSION and request.scope is None:
                decision = Decision.DENY
            self._say(f"{_OUTCOMES[decision]}\n")
            return decision

    def _say(self, text: str) -> None:
        self._stderr.write(text)
        self._stderr.flush()


def question(request: PermissionRequest, columns: int = _DEFAULT_COLUMNS) -> str:
    """What a person is asked: the facts, one below the other, and the choices.

    Whatever a call may hold stands behind a bar, in lines that fit the columns of the terminal, so that none of it can
    pass for a line of the question. Characters that steer a terminal are shown as escapes, and what is cut is said. A
    request has its secrets left out already; by how it looks nothing is, for a call could hide behind that.
    """
    facts = {
        "confirm": _fact(request.confirm),
        "permission": f"{request.permission}, DANGEROUS" if request.dangerous else request.permission,
        "arguments": _fact(request.summary),
        "folder": _fact(request.cwd),
        "variables": _fact(*request.env),
        "hosts": _fact(*request.hosts),
        "scope": _fact(*(f"{what} {value}" for what, value in request.scope or ()), separator="; "),
        "because": _fact(*request.reasons, separator="; "),
        "agent": _fact(*filter(None, (request.meta.agent_role, request.meta.agent_id)), separator=" "),
        "hooks": _fact(request.hook),
        "suggested": request.suggested.replace("_", " "),
    }
    lines = [f"\n{visible(request.tool_name)} asks to run"]
    for label, fact in facts.items():
        if fact:
            first, *rest = _wrapped(fact, max(columns - _LABEL - 4, 20))
            lines += [f"{label:>{_LABEL}} | {first}", *(f"{'':>{_LABEL}} | {line}" for line in rest)]
    session = "" if request.scope is None else "[s] for this session, with this scope, "
    return "\n".join([*lines, f"Run it? [y] once, {session}[n] no: "])


def _fact(*texts: str, separator: str = ", ") -> str:
    return joined(texts, separator, _LONGEST_FACT)


def _wrapped(text: str, cells: int) -> list[str]:
    """Break a text into lines of so many cells. A character outside of ASCII may take two, and counts as two."""
    lines, free = [""], cells
    for char in text:
        width = 1 if char.isascii() else 2
        if width > free:
            lines.append("")
            free = cells
        lines[-1] += char
        free -= width
    return lines


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_COLUMNS
    except (OSError, ValueError):  # it is no terminal, or no file at all
        return _DEFAULT_COLUMNS


def _forget_what_waits(descriptor: int) -> None:
    """Drop what was typed or sent before it was asked for, a line without its end too."""
    if os.isatty(descriptor):
        import termios  # only where there are terminals

        termios.tcflush(descriptor, termios.TCIFLUSH)
        return
    while select([descriptor], [], [], 0)[0] and os.read(descriptor, 4096):
        pass


async def _read_line(descriptor: int) -> bytes:
    """Read a line, and nothing behind it. Give nothing for one that is too long, or that the input ends before.

    It waits in the event loop, and not in a thread: that would still be reading after it is cancelled.
    """
    loop = asyncio.get_running_loop()
    line = bytearray()
    ended: asyncio.Future[bytes] = loop.create_future()

    def read_byte() -> None:
        if ended.done():  # it was cancelled when this was about to be called
            return
        try:
            byte = os.read(descriptor, 1)
        except OSError:  # the terminal is gone
            byte = b""
        if byte in (b"", b"\n"):
            is_whole = byte and len(line) <= _LONGEST_ANSWER
            ended.set_result(bytes(line) if is_whole else b"")
        elif len(line) <= _LONGEST_ANSWER:
            line.extend(byte)

    try:
        loop.add_reader(descriptor, read_byte)
    except PermissionError:  # a file, or /dev/null, which keep nobody waiting
        while not ended.done():
            read_byte()
    try:
        return await ended
    finally:
        loop.remove_reader(descriptor)
