"""Sessions: the snippets of one conversation, each of which finds the variables of those before it."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.messages import ModelCall
from toolgen.contract.records import NOT_OFFERED, ToolRequest
from toolgen.contract.stub import RESULT
from toolgen.runtime.presentations.codeact.reports import (
    Printed,
    exception_of,
    failure_report,
    objections_report,
    one_line,
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
_APART: Final = re.compile(
    r"""\#[^\n]* | ("{3}|'{3}|"|') (?: \\. | (?!\1)[^\\] )*+ (?: \1 | \Z ) | \.\s*\w+""", re.DOTALL | re.VERBOSE
)
"""Comments, strings and attributes: what names no variable."""

_NOT_KEPT: Final = (
    "variables are as they were before it, for they would take more memory than is kept for the next code"
)


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
        try:
            await self._prepare(worker, named)
        except (WorkerLost, SnippetFailed) as failure:
            return self._forget(failure)
        run = _Run(worker, self._functions, ops, self._limits)
        try:
            ending, checked = await self._ending(run, code)
            variables = await worker.state()
        except WorkerLost as lost:
            return run.outcome(f"error: the code was stopped, for {lost}; variables are as they were before it")
        if len(variables) > self._limits.kept_bytes:
            return run.outcome("\n".join(filter(None, [ending, _NOT_KEPT])))
        self._variables = variables
        self._history.append(checked)
        self._bound.update(dict.fromkeys(named))
        return run.outcome(ending)

    def _forget(self, failure: Exception) -> Outcome:
        """Begin anew, where what earlier snippets left behind would fail every later one."""
        self._variables = None
        self._history.clear()
        self._bound.clear()
        reason = one_line(str(failure))
        return Outcome(
            report=f"nothing was run: the variables of earlier code could not be brought back, for {reason}. "
            "All variables are gone; bind again what you need"
        )

    async def _prepare(self, worker: Worker, named: list[str]) -> None:
        """Make the variables and the functions there that the snippet names.

        Raises `WorkerLost` and `SnippetFailed` only where an earlier snippet left behind what does not go with that.
        """
        await worker.open(self._variables)
        new = [self._functions.by_name[name][1] for name in named if name not in self._bound]
        step = await worker.feed(("" if self._variables else FUNCTIONS) + functions_of(new), lambda _text: None)
        if not isinstance(step, Finished):
            raise WorkerLost("they call a tool before any code is run")

    async def _ending(self, run: _Run, code: str) -> tuple[str, str]:
        """Run a snippet to its end; say what that was, and as what the checker sees it before later ones."""
        try:
            await run.feed(code)
            ending = await self._result(run, code)
        except SnippetFailed as failure:
            # What comes after it is checked as if it could be reached with any of its variables, or none.
            attempt = f"try:\n{textwrap.indent(code, ' ')}\n pass\nexcept BaseException: pass\n"
            return f"error: {failure_report(failure)}", attempt
        return ending, f"{code}\n"

    async def _result(self, run: _Run, code: str) -> str:
        """Say what the result is, where this snippet names it: what an earlier one bound is not told again."""
        if RESULT not in _WORD.findall(_APART.sub(" ", code)):
            return ""
        try:
            text = await run.feed(RESULT_TEXT)
        except SnippetFailed as failure:
            return "" if failure.kind == "NameError" else f"error: {one_line(failure.message)}"
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
        found = self._functions.by_name.get(call.function)
        ident = found[0] if found else f"{call.function}{NOT_OFFERED}"
        (result,) = await self._ops.call([ToolRequest(name=ident, payload=call.arguments)])
        # What the calls were given is not kept until the snippet ends: it would be the host's memory that holds it.
        asked = ModelCall(tool_call_id=result.tool_call_id, name=call.function, arguments="")
        request = ToolRequest(name=ident, payload=b"", tool_call_id=result.tool_call_id)
        self._asked.append(RequestedCall(asked=asked, request=request))
        self._results.append(result)
        return result

    def outcome(self, ending: str) -> Outcome:
        """What came of it: all that it called, and a report of its end."""
        parts = [part for part in (self._printed.report(), ending) if part]
        report = "\n".join(parts) or f"it ran; nothing was printed, and `{RESULT}` was not bound"
        return Outcome(asked=tuple(self._asked), results=tuple(self._results), report=report)
