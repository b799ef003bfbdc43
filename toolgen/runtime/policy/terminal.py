"""A permission callback for the terminal. It asks on stderr and reads stdin. POSIX only."""

from __future__ import annotations

import asyncio
import os
import sys
from select import select
from typing import TYPE_CHECKING, Final, TextIO
from weakref import WeakKeyDictionary

from toolgen.runtime.policy.permission import Decision
from toolgen.runtime.redact.shown_args import joined
from toolgen.spec.visible import visible

if TYPE_CHECKING:
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
_MAX_ANSWER: Final = 64
"""Maximum bytes of an answer line; a longer line is not an answer."""

_MAX_FIELD: Final = 2000
"""Maximum characters shown of one field of a request."""

_LABEL: Final = 10
_DEFAULT_COLUMNS: Final = 80


class TerminalPrompt:
    """Prompts at the terminal: allow once, allow for this session if there is one, or deny.

    End of input and unknown answers deny. Prompts are sequential, so a program needs one `TerminalPrompt` for its
    terminal. It reads the file descriptor of `stdin` up to the end of a line: it does not see buffered input, and
    nothing else may read from the descriptor at the same time.

    A cancelled prompt, for example after a timeout, stops reading, and a late answer is not used for the next prompt.
    At a terminal, input typed before a prompt appeared is discarded.
    """

    def __init__(self, stdin: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self._stdin = stdin or sys.stdin
        self._stderr = stderr or sys.stderr
        self._is_late = False
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def __call__(self, request: PermissionRequest) -> Decision:
        """Prompt, and wait for the answer. Raises OSError or ValueError if a stream is closed or has no descriptor."""
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            descriptor = self._stdin.fileno()
            if self._is_late or os.isatty(descriptor):
                _discard_pending_input(descriptor)
                self._is_late = False
            self._say(question(request, _columns(self._stderr)))
            try:
                line = await _read_line(descriptor)
            except asyncio.CancelledError:
                self._is_late = True
                self._say("\nno answer\n")
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
    """Format the prompt: the request, and the choices."""
    session = "" if request.scope is None else "[s] for this session, with this scope, "
    return f"\n{described(request, columns)}\nRun it? [y] once, {session}[n] no: "


def described(request: PermissionRequest, columns: int = _DEFAULT_COLUMNS) -> str:
    """Format a request, one field per line.

    Content of the call is written behind a bar, in lines that fit the terminal's width, so that it cannot imitate a
    line of the prompt. Control characters are shown as escapes, and truncation is marked. Secrets of the request are
    already redacted; nothing is redacted by its appearance, because a call could hide behind that.
    """
    facts = {
        "confirm": _field(request.confirm),
        "permission": f"{request.permission}, DANGEROUS" if request.dangerous else request.permission,
        "arguments": _field(request.summary),
        "request": _field(request.request),
        "runs": _field(request.program),
        "folder": _field(request.cwd),
        "variables": _field(*request.env),
        "hosts": _field(*request.hosts),
        "scope": _field(*(f"{what} {value}" for what, value in request.scope or ()), separator="; "),
        "because": _field(*request.reasons, separator="; "),
        "agent": _field(*filter(None, (request.meta.agent_role, request.agent, request.meta.agent_id)), separator=" "),
        "started by": _field(
            *(f"{each.agent} {each.agent_id}".strip() for each in reversed(request.meta.ancestors)), separator=", by "
        ),
        "hooks": _field(request.hook),
        "suggested": request.suggested.replace("_", " "),
    }
    lines = [f"{visible(request.tool_name)} asks to run"]
    for label, fact in facts.items():
        if fact:
            first, *rest = _wrapped(fact, max(columns - _LABEL - 4, 20))
            lines += [f"{label:>{_LABEL}} | {first}", *(f"{'':>{_LABEL}} | {line}" for line in rest)]
    return "\n".join(lines)


def _field(*texts: str, separator: str = ", ") -> str:
    return joined(texts, separator, _MAX_FIELD)


def _wrapped(text: str, cells: int) -> list[str]:
    """Wrap a text to lines of `cells` terminal columns. Non-ASCII characters count as two."""
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
    except (OSError, ValueError):  # not a terminal, or without a descriptor
        return _DEFAULT_COLUMNS


def _discard_pending_input(descriptor: int) -> None:
    """Discard input that arrived before the prompt, including an unfinished line."""
    if os.isatty(descriptor):
        import termios  # only on systems with terminals

        termios.tcflush(descriptor, termios.TCIFLUSH)
        return
    while select([descriptor], [], [], 0)[0] and os.read(descriptor, 4096):
        pass


async def _read_line(descriptor: int) -> bytes:
    """Read exactly one line. Return empty bytes if it is too long, or at the end of input.

    Waits in the event loop, not in a thread, which would continue to read after cancellation.
    """
    loop = asyncio.get_running_loop()
    line = bytearray()
    ended: asyncio.Future[bytes] = loop.create_future()

    def read_byte() -> None:
        if ended.done():  # cancelled before this callback ran
            return
        try:
            byte = os.read(descriptor, 1)
        except OSError:  # the terminal was closed
            byte = b""
        if byte in (b"", b"\n"):
            is_whole = byte and len(line) <= _MAX_ANSWER
            ended.set_result(bytes(line) if is_whole else b"")
        elif len(line) <= _MAX_ANSWER:
            line.extend(byte)

    try:
        loop.add_reader(descriptor, read_byte)
    except PermissionError:  # a file or /dev/null, which never block
        while not ended.done():
            read_byte()
    try:
        return await ended
    finally:
        loop.remove_reader(descriptor)
