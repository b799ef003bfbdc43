"""CodeAct: tools are functions; a response with a fenced block is code to run, one without is the final answer."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import ToolRequest
from toolgen.llm.codeact.fences import read_fences
from toolgen.llm.codeact.limits import CodeActLimits
from toolgen.llm.codeact.session import Session
from toolgen.llm.codeact.stubs import CompiledStubs, Functions
from toolgen.llm.presentations.calls import not_offered, run_calls
from toolgen.llm.presentations.protocol import RequestedCall, ToolListing, Turn
from toolgen.llm.sandbox.pool import WorkerPool
from toolgen.providers.messages import CallAnswer
from toolgen.providers.stubs.stub import RESULT

if TYPE_CHECKING:
    from toolgen.llm.presentations.candidates import Candidates
    from toolgen.llm.presentations.protocol import Ops
    from toolgen.providers.messages import ModelReply

_PROMPT: Final = f"""\
Act by writing Python: a ```python block in your answer is run, and you receive its output. An answer without one
is final. Call the functions below, without imports and in plain code (not in map, filter or sort keys). Bind
what you want to see to `{RESULT}`, or print it; variables last. There are no files and no network; json, re, math,
datetime, collections and itertools can be imported. A failed call raises PermissionError, TimeoutError, ValueError
(wrong arguments), LookupError (no such function) or RuntimeError; its message begins with the kind. Arguments are JSON.
Types are checked before anything runs: write a dict where it is passed, or annotate it, `f: Filters = {{...}}`; what
the checker cannot know is `v: Any = ...`.
"""

_CUT: Final = "nothing was run: the block of code has no end; write it again, shorter, and close it with ```"
_NO_TOOLS: Final = "nothing was called: call functions in a ```python block"


class CodeAct:
    """The presentation of one conversation. `stubs` are those of the generated package of the tools.

    It offers no tools, but code can call all candidates. Several blocks of one response are run as one, in order. If a
    block is not closed, or a call is made in any other way, the response is rejected, and nothing is run.
    """

    def __init__(
        self,
        candidates: Candidates,
        *,
        stubs: CompiledStubs | None = None,
        limits: CodeActLimits | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        """Take the candidates, and the pool of processes that run snippets, which conversations can share.

        Errors are raised, and processes started, on first use.
        """
        self._candidates = candidates
        self._functions = Functions(candidates, stubs or CompiledStubs())
        self._session = Session(self._functions, limits or CodeActLimits(), pool or WorkerPool())

    def build_presentation(self) -> ToolListing:
        """Return the prompt with the functions of all candidates. Raises `CatalogError` if two have the same name."""
        return self._listing

    @cached_property
    def _listing(self) -> ToolListing:
        source = self._functions.source(self._functions.by_name)
        return ToolListing(tools=(), dispatchable=self._candidates, prompt=f"{_PROMPT}\n```python\n{source}```\n")

    def interpret(self, reply: ModelReply) -> Turn:
        """Parse a response: code, a final answer, or a rejected response."""
        if reply.calls:
            return Turn(calls=tuple(map(not_offered, reply.calls)), text=reply.text)
        found = read_fences(reply.text)
        if found.is_cut:
            cut = ToolRequest(name="python", payload="{}")
            return Turn(calls=(RequestedCall(asked=cut, refusal=_CUT),), text=reply.text)
        if not found.blocks:
            return Turn(text=reply.text)
        return Turn(code="\n".join(found.blocks), text=found.text)

    async def execute(self, turn: Turn, ops: Ops) -> Turn:
        """Run code; its calls go through `ops`, one at a time. When cancelled, it leaves no process running.

        The arguments of the calls are not in the turn.
        """
        if turn.code is None:
            return await run_calls(turn, ops)
        return await self._session.run(turn, turn.code, ops)

    async def format_feedback(self, turn: Turn) -> Turn:
        """Add the report of a snippet, or why nothing was run."""
        if turn.code is not None:
            return turn
        answers = tuple(
            CallAnswer(tool_call_id=each.asked.tool_call_id, name=each.asked.name, text=_NO_TOOLS, is_error=True)
            for each in turn.calls
            if each.request is not None
        )
        refusals = [each.refusal for each in turn.calls if each.refusal]
        return replace(turn, answers=answers, report="\n".join(refusals))
