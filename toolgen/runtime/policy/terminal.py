"""A permission callback for the terminal. It asks on stderr and reads stdin. POSIX only."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from select import select
from time import sleep
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

from toolgen.runtime.base.loops import OfLoop
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.policy.proposal import PROPOSAL_BYTES, typed_proposal
from toolgen.runtime.redact.shown_args import joined
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime.policy.approvers import Approver
    from toolgen.runtime.policy.permission import PermissionRequest

T = TypeVar("T")

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
_NO: Final = b"n"
_REASON, _PROPOSAL = b"d", b"p"
"""Denials whose reason, or reason and proposal, are asked next."""

_TIMES: Final = 3
"""How often a person at a terminal is asked for a clear answer."""

_MAX_ANSWER: Final = 64
"""Maximum bytes of an answer line; a longer line is not an answer."""

_MAX_REASON: Final = 4000
"""Maximum bytes of the line of a reason. A terminal gives no longer ones."""

_MAX_FIELD: Final = 2000
"""Maximum characters shown of one field of a request."""

_LOOK_AGAIN: Final = 0.05
"""Seconds until it is looked again whether another process has its answer."""

_LABEL: Final = 10
_DEFAULT_COLUMNS: Final = 80


class TerminalPrompt:
    """Prompts at the terminal: allow once, allow for this session if there is one, or deny.

    A denial may have a reason, and a proposal: args as JSON in one line, which are asked for again until they fit the
    tool; an empty line is none. End of input and an empty line deny. So does an unknown answer, but at a terminal the
    question is asked again first, twice at most. Prompts are sequential, so a program needs one `TerminalPrompt` for
    its terminal; other programs of toolgen that ask there wait until it is answered. It reads the file descriptor of
    `stdin` up to the end of a line: it does not see buffered input, and nothing else may read from the descriptor at
    the same time.

    `person` is who sits at the terminal. Where a policy says who may answer, and this person alone may not, or nobody
    knows who it is, it denies without a question, and the reason says who may.

    A cancelled prompt, for example after a timeout, stops reading, and a late answer is not used for the next prompt.
    At a terminal, input typed before a prompt appeared is discarded.
    """

    def __init__(
        self, stdin: TextIO | None = None, stderr: TextIO | None = None, *, person: Approver | None = None
    ) -> None:
        self._person = person
        self._stdin = stdin or sys.stdin
        self._stderr = stderr or sys.stderr
        self._is_late = False
        self._turns = OfLoop[asyncio.Lock](abandon=None)

    async def __call__(self, request: PermissionRequest) -> Decision | PermissionDecision:
        """Prompt, and wait for the answer. Raises OSError or ValueError if a stream is closed or has no descriptor."""
        if obstacle := request.obstacle(self._person):
            return PermissionDecision(decision=Decision.DENY, reason=obstacle)
        descriptor = self._stdin.fileno()
        async with self._turns.get_or_make(asyncio.Lock), _held(descriptor):
            if self._is_late or os.isatty(descriptor):
                _discard_pending_input(descriptor)
                self._is_late = False
            self._say(question(request, _columns(self._stderr)))
            try:
                word = await self._answer(request, descriptor)
                if word in (_REASON, _PROPOSAL):
                    return await self._denied(request, descriptor, has_proposal=word == _PROPOSAL)
            except asyncio.CancelledError:
                self._is_late = True
                self._say("\nno answer\n")
                raise
            decision = _ANSWERS[word]
            self._say(f"{_OUTCOMES[decision]}\n")
            return decision if self._person is None else PermissionDecision(decision=decision, people=(self._person,))

    async def _answer(self, request: PermissionRequest, descriptor: int) -> bytes:
        """Return one of the answers that a request has; no, if none of these is given.

        Only a terminal is asked again: each line of other input answers one question.
        """
        for attempt in range(_TIMES if os.isatty(descriptor) else 1):
            if attempt:
                _discard_pending_input(descriptor)
                self._say(f"That is no answer.\n{_choices(request)}")
            line = await _read_line(descriptor, _MAX_ANSWER) or b""
            word = line.strip().lower()
            if not word:
                break
            if len(line) <= _MAX_ANSWER and _is_answer(word, request):
                return word
        return _NO

    async def _denied(self, request: PermissionRequest, descriptor: int, *, has_proposal: bool) -> PermissionDecision:
        reason = await self._asked("Why? ", descriptor, _MAX_REASON, str)
        proposal = None
        if has_proposal:
            proposal = await self._asked(
                "Args that you would allow, as JSON in one line: ",
                descriptor,
                PROPOSAL_BYTES,
                lambda text: typed_proposal(text, request.check_proposal),
            )
        self._say("denied\n" if proposal is None else "denied, with a proposal\n")
        return PermissionDecision(decision=Decision.DENY, reason=reason or "", proposal=proposal)

    async def _asked(self, label: str, descriptor: int, most: int, read: Callable[[str], T]) -> T | None:
        """Ask until a line can be read. The end of input is an empty line."""
        while True:
            self._say(label)
            line = await _read_line(descriptor, most)
            text = (line or b"").strip().decode(errors="replace")
            try:
                if line is not None and len(line) > most:
                    raise ValueError(f"the line has more than {most} bytes")
                return read(text)
            except ValueError as error:
                self._say(f"{visible(str(error))}\n")

    def _say(self, text: str) -> None:
        self._stderr.write(text)
        self._stderr.flush()


def question(request: PermissionRequest, columns: int = _DEFAULT_COLUMNS) -> str:
    """Format the prompt: the request, and the choices."""
    return f"\n{described(request, columns)}\n{_choices(request)}"


def _choices(request: PermissionRequest) -> str:
    session = "" if request.scope is None else "[s] for this session, with this scope, "
    other = "" if request.codec is None else "[p] no, but with other args, "
    return f"Run it? [y] once, {session}[d] no, and why, {other}[n] no: "


def _is_answer(word: bytes, request: PermissionRequest) -> bool:
    """Whether the choices of a request have an answer."""
    if word == _PROPOSAL:
        return request.codec is not None
    if _ANSWERS.get(word) is Decision.ALLOW_FOR_SESSION:
        return request.scope is not None
    return word in _ANSWERS or word == _REASON


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
        "approvers": "" if request.approvers is None else _field(str(request.approvers)),
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


@contextmanager
def held_terminal(descriptor: int) -> Generator[None]:
    """Hold a terminal, as a prompt does, for a question that is asked without an event loop. Discards earlier input."""
    held = _terminal(descriptor)
    try:
        if held is not None:
            with suppress(OSError):  # a system without locks of terminals
                while not _is_locked(held):
                    sleep(_LOOK_AGAIN)
            _discard_pending_input(descriptor)
        yield
    finally:
        if held is not None:
            os.close(held)


@asynccontextmanager
async def _held(descriptor: int) -> AsyncGenerator[None]:
    """Hold a terminal: an answer that is typed there is for the question of one process, the last that is shown."""
    held = _terminal(descriptor)
    try:
        if held is not None:
            with suppress(OSError):  # a system without locks of terminals
                while not _is_locked(held):  # noqa: ASYNC110  # another process holds it
                    await asyncio.sleep(_LOOK_AGAIN)
        yield
    finally:
        if held is not None:
            os.close(held)


def _terminal(descriptor: int) -> int | None:
    """Open a terminal once more; None for what is not one, or has no name here."""
    try:
        return os.open(os.ttyname(descriptor), os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return None


def _is_locked(held: int) -> bool:
    import fcntl  # only on systems with terminals

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _discard_pending_input(descriptor: int) -> None:
    """Discard input that arrived before the prompt, including an unfinished line."""
    if os.isatty(descriptor):
        import termios  # only on systems with terminals

        termios.tcflush(descriptor, termios.TCIFLUSH)
        return
    while select([descriptor], [], [], 0)[0] and os.read(descriptor, 4096):
        pass


async def _read_line(descriptor: int, most: int) -> bytes | None:
    """Read exactly one line. Return one byte too many of a line that is too long, and None at the end of input.

    Waits in the event loop, not in a thread, which would continue to read after cancellation.
    """
    loop = asyncio.get_running_loop()
    line = bytearray()
    ended: asyncio.Future[bytes | None] = loop.create_future()

    def read_byte() -> None:
        if ended.done():  # cancelled before this callback ran
            return
        try:
            byte = os.read(descriptor, 1)
        except OSError:  # the terminal was closed
            byte = b""
        if byte in (b"", b"\n"):
            ended.set_result(bytes(line) if byte else None)
        elif len(line) <= most:
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
