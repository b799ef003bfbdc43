"""Sessions: the snippets of one conversation, each of which finds the variables of those before it."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.messages import ModelCall
from toolgen.contract.records import ToolRequest
from toolgen.contract.stub import RESULT
from toolgen.runtime.presentations.codeact.reports import (
    Printed,
    exception_of,
    failure_report,
    objections_report,
    result_report,
)
from toolgen.runtime.presentations.codeact.sandbox_code import FUNCTIONS, RESULT_TEXT, TYPES, functions_of
from toolgen.runtime.presentations.codeact.worker import (
    Finished,
    SandboxUnavailable,
    SnippetFailed,
    Suspended,
    WorkerLost,
)
from toolgen.runtime.presentations.protocol import Outcome, RequestedCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.contract.records import ToolResult
    from toolgen.runtime.presentations.codeact.limits import CodeActLimits
    from toolgen.runtime.presentations.codeact.stubs import Functions
    from toolgen.runtime.presentations.codeact.worker import Worker
    from toolgen.runtime.presentations.protocol import Ops

_WORD: Final = re.compile(r"\w+")


class Session:
    """What the snippets of a conversation left behind, and how the next one runs.

    No process outlives a snippet: the variables are kept as bytes, and each worker begins with them. What ends a worker
    before its time leaves them as they were.
    """

    def __init__(
        self, functions: Functions, limits: CodeActLimits, open_worker: Callable[[CodeActLimits], Worker]
    ) -> None:
        self._functions = functions
        self._limits = limits
        self._open_worker = open_worker
        self._variables: bytes | None = None
        self._history: list[str] = []
        self._bound: dict[str, None] = {}

    async def run(self, code: str, ops: Ops) -> Outcome:
        """Check a snippet, run it, and make its calls. Raises nothing but what ends a task."""
        if len(code) > self._limits.source_chars:
            most = self._limits.source_chars
            return Outcome(report=f"nothing was run: the code has {len(code)} characters, and {most} is the most")
        words = set(_WORD.findall(code))
        named = [name for name in self._functions.by_name if name in words or name in self._bound]
        try:
            async with self._open_worker(self._limits) as worker:
                objections = await self._objections(worker, code, named)
                if objections:
                    return Outcome(report=objections)
                return await self._run(worker, code, named, ops)
        except SandboxUnavailable as unavailable:
            return Outcome(report=f"sandbox_unavailable: no code can be run, for {unavailable}")

    async def _objections(self, worker: Worker, code: str, named: list[str]) -> str:
        """What the checker says of a snippet. Those before it stand in the same module, where names may change type."""
        before = "".join(self._history)
        start = before.count("\n")
        try:
            found = await worker.check(f"{TYPES}{self._functions.source(named)}", f"{before}{code}")
        except SnippetFailed as failure:
            return f"nothing was run: {failure_report(failure.moved_up(start))}"
        except WorkerLost as lost:
            return f"nothing was run: the type checker came to no end with this code, for {lost}"
        own = [each.moved_up(start) for each in found if each.line > start]
        return objections_report(own, self._functions.by_name) if own else ""

    async def _run(self, worker: Worker, code: str, named: list[str], ops: Ops) -> Outcome:
        run = _Run(worker, self._functions, ops, self._limits)
        try:
            await self._prepare(worker, named)
            ending = await self._ending(run, code)
            variables = await worker.state()
        except WorkerLost as lost:
            return run.outcome(f"error: the code was stopped, for {lost}; variables are as they were before it")
        self._variables = variables
        self._bound.update(dict.fromkeys(named))
        return run.outcome(ending)

    async def _prepare(self, worker: Worker, named: list[str]) -> None:
        """Make the variables and the functions there that the snippet names. None of it prints, or fails."""
        await worker.open(self._variables)
        new = [self._functions.by_name[name][1] for name in named if name not in self._bound]
        await worker.feed(("" if self._variables else FUNCTIONS) + functions_of(new), lambda _text: None)

    async def _ending(self, run: _Run, code: str) -> str:
        """Run a snippet to its end, and say what that was."""
        try:
            await run.feed(code)
            ending = await self._result(run, code)
        except SnippetFailed as failure:
            # What comes after it is checked as if it could be reached with any of its variables, or none.
            self._history.append(f"try:\n{textwrap.indent(code, ' ')}\n pass\nexcept BaseException: pass\n")
            return f"error: {failure_report(failure)}"
        self._history.append(f"{code}\n")
        return ending

    async def _result(self, run: _Run, code: str) -> str:
        if RESULT not in _WORD.findall(code):
            return ""
        try:
            text = await run.feed(RESULT_TEXT)
        except SnippetFailed as failure:
            return "" if failure.kind == "NameError" else f"error: {failure.message}"
        return result_report(str(text), self._limits.result_chars)


class _Run:
    """One snippet that runs: the calls it made so far, and what it printed."""

    def __init__(self, worker: Worker, functions: Functions, ops: Ops, limits: CodeActLimits) -> None:
        self._worker = worker
        self._functions = functions
        self._ops = ops
        self._most_calls = limits.calls
        self._printed = Printed(limits.printed_chars)
        self._asked: list[RequestedCall] = []
        self._results: list[ToolResult[Any]] = []

    async def feed(self, code: str) -> Any:
        """Run code to its end, and give the value of its last expression. Raises `SnippetFailed` and `WorkerLost`."""
        step = await self._worker.feed(code, self._printed.add)
        while not isinstance(step, Finished):
            result = await self._call(step)
            if result.error is None:
                step = await self._worker.resume(step, result.payload.decode() or "null")
            else:
                step = await self._worker.throw(step, exception_of(result.error))
        return step.value

    async def _call(self, call: Suspended) -> ToolResult[Any]:
        if len(self._asked) == self._most_calls:
            raise WorkerLost(f"it made more calls than {self._most_calls}")
        ident, _ = self._functions.by_name.get(call.function, (call.function, None))
        request = ToolRequest(name=ident, payload=call.arguments)
        (result,) = await self._ops.call([request])
        asked = ModelCall(tool_call_id=result.tool_call_id, name=call.function, arguments=call.arguments)
        self._asked.append(RequestedCall(asked=asked, request=request))
        self._results.append(result)
        return result

    def outcome(self, ending: str) -> Outcome:
        """What came of it: all that it called, and a report of its end."""
        parts = [part for part in (self._printed.report(), ending) if part]
        report = "\n".join(parts) or f"it ran; nothing was printed, and `{RESULT}` was not bound"
        return Outcome(asked=tuple(self._asked), results=tuple(self._results), report=report)
