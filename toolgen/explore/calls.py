"""Calls of pages: each goes through the runtime in a run of its own, in the name of who makes it."""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.contract.records import ToolRequest
from toolgen.explore.asking import current_page_call
from toolgen.runtime.base.shares import Shares, ShareUsedUp
from toolgen.runtime.calls.result import RAW, failed
from toolgen.runtime.events.encoding import result_content
from toolgen.runtime.events.records import StoreError
from toolgen.runtime.policy.approval import question_data
from toolgen.runtime.policy.permission import Decision, PermissionDecision
from toolgen.runtime.redact.secrets import NO_SECRETS
from toolgen.runtime.runs.run import Session

if TYPE_CHECKING:
    from toolgen.contract.records import ToolResult
    from toolgen.explore.args_editor import ShownArgs
    from toolgen.explore.visitors import Viewpoint, Visitor
    from toolgen.runtime.calls.runtime import Runtime
    from toolgen.runtime.policy.permission import PermissionRequest
    from toolgen.runtime.redact.secrets import Secrets
    from toolgen.runtime.runs.run import Run

_KEPT: Final = 200
"""Calls that have ended and are still shown, of all visitors: nobody loses one while another one has more of them."""

_KEPT_BYTES: Final = 256 * 1024 * 1024
"""Bytes of all of them, which is forgotten by the same rule."""

_RUNNING: Final = 200
"""Calls that may run at the same time, in shares of the visitors."""

_SESSIONS: Final = 1_000
"""Sessions that are kept; whoever comes back after so many others is asked again what they had allowed."""

_PROGRESS: Final = 200
"""Reports of progress that are kept of a call, the last ones."""


@dataclass(slots=True, eq=False)
class Question:
    """A question for permission, and the answer that it waits for."""

    request: PermissionRequest
    data: dict[str, Any]
    answer: asyncio.Future[PermissionDecision] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class PageCall:
    """One call, by a visitor who looks as someone. `problem` says what of its record failed.

    `secrets` are redacted in its result. `questions` are those that are open, the first one first. `version` grows with
    each change, and `events` yields at each.
    """

    def __init__(self, call_id: str, tool: str, args: ShownArgs, visitor: Visitor, view: Viewpoint, run: Run) -> None:
        self.id = call_id
        self.tool = tool
        self.args = args
        self.visitor = visitor
        self.view = view
        self.run = run
        self.progress: deque[Any] = deque(maxlen=_PROGRESS)
        self.questions: list[Question] = []
        self.result: ToolResult[Any] | None = None
        self.secrets: Secrets = NO_SECRETS
        self.problem = ""
        self.version = 0
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def state(self) -> str:
        """One of `running`, `asking` and `ended`."""
        if self.result is not None:
            return "ended"
        return "asking" if self.questions else "running"

    @cached_property
    def size(self) -> int:
        """About how many bytes the call takes, once it has ended. At the end of each call all are asked."""
        assert self.result is not None
        shown = sum(len(str(each.data)) for each in self.result.blocks)
        return len(self.args.text) + len(self.result.payload) + shown

    def change(self) -> None:
        """Tell all that watch the call. Call it in its event loop."""
        self.version += 1
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def report(self, data: Mapping[str, Any]) -> None:
        """Take note of progress, in any thread."""

        def note() -> None:
            self.progress.append(data)
            self.change()

        with suppress(RuntimeError):  # the loop is closed, and nobody watches the call
            self._loop.call_soon_threadsafe(note)

    def take_secrets(self, call_id: str, secrets: Secrets) -> None:
        """Take note of the secrets of the call, which are known once it has run: those that the host injects too."""
        if call_id == self.id:
            self.secrets = secrets

    async def events(self) -> AsyncIterator[int]:
        """Yield the version now, and at each change until the call has ended; changes in between are one."""
        while True:
            changed = self._changed
            yield self.version
            if self.result is not None:
                return
            await changed.wait()

    async def ask(self, request: PermissionRequest) -> PermissionDecision:
        """Ask the person in the page, and wait for the answer. Calls beneath this one may ask at the same time.

        What that person alone may not allow, by the policies, is denied without a question.
        """
        if obstacle := request.obstacle(self.visitor.person):
            return PermissionDecision(decision=Decision.DENY, reason=obstacle)
        data = question_data(request) | {"user": request.meta.user, "run_id": request.meta.run_id}
        question = Question(request, data)
        self.questions.append(question)
        self.change()
        try:
            return await question.answer
        finally:
            self._close(question)

    def asked(self, question: str) -> Question | None:
        """Return an open question by its id; None if the call does not ask it, or not any more."""
        return next((each for each in self.questions if each.data["id"] == question), None)

    def answer(self, question: Question, decision: PermissionDecision) -> bool:
        """Answer an open question; return whether it was still open."""
        if question not in self.questions:
            return False
        question.answer.set_result(decision)
        self._close(question)
        return True

    def _close(self, question: Question) -> None:
        if question in self.questions:
            self.questions.remove(question)
            self.change()

    def cancel(self) -> None:
        """Abort the run of the call, with all that it started."""
        self.run.abort("cancelled in the page")


class PageCalls:
    """The calls that pages have made: those that run, and the last that have ended."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._calls: dict[str, PageCall] = {}
        self._running = Shares(_RUNNING)
        self._sessions: dict[tuple[str, str | None], Session] = {}

    def session_of(self, visitor: Visitor, user: str | None) -> Session:
        """Return the session of a visitor in the name of a user: what they allow for a session holds in it."""
        session = self._sessions.pop((visitor.name, user), None) or Session()
        self._sessions[visitor.name, user] = session  # the latest is the last one
        if len(self._sessions) > _SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def start(self, tool: str, payload: str, args: ShownArgs, run: Run, visitor: Visitor, view: Viewpoint) -> PageCall:
        """Start a call in a run of its own; `args` are what is shown of its payload. Raises `ShareUsedUp`."""
        if not self._running.take(visitor.name):
            raise ShareUsedUp
        call_id = f"call_{secrets.token_hex(12)}"
        call = PageCall(call_id, tool, args, visitor, view, run)
        call.run = run = replace(run, on_progress=lambda _, data: call.report(data), on_secrets=call.take_secrets)
        self._calls[call_id] = call
        token = current_page_call.set(call)
        try:
            call.task = asyncio.create_task(
                self._make(call, ToolRequest(name=tool, payload=payload, tool_call_id=call_id))
            )
        finally:
            current_page_call.reset(token)
        return call

    async def _make(self, call: PageCall, request: ToolRequest) -> None:
        """Make a call in its run, and end the run. Whatever fails, the call ends, with the result that there is."""
        result: ToolResult[Any] | None = None
        try:
            result = await self._runtime.invoke_apart(request, run=call.run)
            await self._runtime.end_run(call.run)
        except StoreError as error:
            call.problem = f"the end of the run is not on record: {error}"
        finally:
            call.result = result or failed(call.tool, call.id, asyncio.CancelledError())
            call.task = None
            self._running.give_back(call.visitor.name)
            call.change()
            self._forget()

    def _forget(self) -> None:
        """Forget calls that have ended, as far as there are too many, or too large ones."""
        self._forget_by(lambda _: 1, _KEPT)
        self._forget_by(lambda call: call.size, _KEPT_BYTES)

    def _forget_by(self, size: Callable[[PageCall], int], most: int) -> None:
        """Forget the first calls that have ended of who has most of them, by a size."""
        ended: dict[str, deque[PageCall]] = {}
        sizes = Counter[str]()
        for each in self._calls.values():
            if each.state == "ended":
                ended.setdefault(each.visitor.name, deque()).append(each)
                sizes[each.visitor.name] += size(each)
        while sizes.total() > most:
            name = max(sizes, key=sizes.__getitem__)
            first = ended[name].popleft()
            sizes[name] -= size(first)
            del self._calls[first.id]

    def find(self, call_id: str, visitor: Visitor) -> PageCall | None:
        """Return a call of a visitor; None if there is none, or it is of someone else."""
        call = self._calls.get(call_id)
        return call if call is not None and call.visitor.name == visitor.name else None

    def of(self, visitor: Visitor) -> list[PageCall]:
        """Return the calls of a visitor, the first one first."""
        return [call for call in self._calls.values() if call.visitor.name == visitor.name]

    async def close(self) -> None:
        """Cancel what runs."""
        running = [call for call in self._calls.values() if call.task is not None]
        for call in running:
            call.cancel()
        await asyncio.gather(*(call.task for call in running if call.task is not None), return_exceptions=True)


def result_data(call: PageCall) -> dict[str, Any] | None:
    """Return the result of a call as JSON, without secrets: what a program gets, and what a model is shown."""
    result = call.result
    if result is None:
        return None
    own = {key: value for key, value in result.metadata.items() if key != RAW}
    shown = replace(result, metadata=own, blocks=result.content)
    hidden = result_content(shown, call.secrets, has_value=True)
    return {
        "success": result.success,
        "value": hidden.get("value"),
        "error": _error_data(hidden["error"]) if "error" in hidden else None,
        "content": hidden.get("blocks", []),
        "message": hidden.get("message"),
        "side_effects": hidden.get("side_effects", []),
        "metadata": hidden.get("metadata", {}),
    }


def _error_data(error: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: error[name] for name in ("kind", "code", "message", "hint")},
        "proposal": json.loads(error["proposal"]) if "proposal" in error else None,
        "issues": [{name: each[name] for name in ("pointer", "keyword", "hint")} for each in error["issues"]],
    }


_MEDIA: Final = {
    "image": frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"}),
    "audio": frozenset({"audio/mpeg", "audio/ogg", "audio/wav", "audio/webm"}),
}
"""What a page shows of a result: kinds that browsers know, and that have no scripts, as SVG has."""

_MOST_MEDIA: Final = 20


class Media(NamedTuple):
    """An image or a sound of a result: `image` or `audio`, its media type, and the bytes."""

    kind: str
    media_type: str
    content: bytes


def media_of(call: PageCall) -> list[Media]:
    """Return the images and sounds in the result of a call of an MCP server, the first ones; others stay JSON."""
    sent = {} if call.result is None else call.result.metadata.get(RAW, {})
    found: list[Media] = []
    for block in sent.get("content", ()):
        match block:
            case {"type": kind, "data": str(data), "mimeType": str(media_type)} if media_type in _MEDIA.get(kind, ()):
                with suppress(ValueError):  # it is no base64, and shown as it came
                    found.append(Media(kind, media_type, base64.b64decode(data, validate=True)))
            case _:
                pass
        if len(found) == _MOST_MEDIA:
            break
    return found
