"""CodeAct: tools are functions; a response with a fenced block is code to run, one without is the final answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import ToolRequest
from toolgen.llm.codeact.session import CodeSession
from toolgen.llm.codeact.stubs import CompiledStubs, Functions
from toolgen.llm.presentations.protocol import RequestedCall, ToolListing, Turn, not_offered, run_calls
from toolgen.llm.sandbox.pool import SandboxPool
from toolgen.llm.sandbox.process import CodeActLimits
from toolgen.providers.protocol import CallAnswer
from toolgen.providers.stubs import RESULT

if TYPE_CHECKING:
    from toolgen.llm.presentations.protocol import Candidates, PresentationOps
    from toolgen.providers.protocol import ModelReply


# Fences: separates the code of a response from its text.

_FENCE: Final = re.compile(r"(?P<indent> *+)(?P<marks>`{3,}+|~{3,}+)(?P<info>[^`]*+)")
_DEEPER: Final = 3
"""Spaces by which a closing fence may be indented deeper than the opening one."""

_CODE: Final = frozenset({"", "py", "python", "python3"})


@dataclass(frozen=True, slots=True)
class Fenced:
    """The fenced code blocks of a response; `is_cut` if the last block of any kind is not closed."""

    blocks: tuple[str, ...]
    text: str
    is_cut: bool


def read_fences(answer: str) -> Fenced:
    """Parse a response by CommonMark's rules for fences. Blocks of languages other than Python are text.

    A fence may be indented by any number of spaces, as in a list item, whose indentation is not examined.
    """
    blocks: list[str] = []
    text: list[str] = []
    lines: list[str] = []
    opened: re.Match[str] | None = None
    for line in answer.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.fullmatch(line)
        if opened is None:
            opened = fence
            if fence is None or not _is_code(fence):
                text.append(line)
        elif fence is not None and _ends(fence, opened):
            if _is_code(opened):
                blocks.append("\n".join(lines))
            else:
                text += [*lines, line]
            lines, opened = [], None
        else:
            indent = min(len(opened["indent"]), len(line) - len(line.lstrip(" ")))
            lines.append(line[indent:])
    is_cut = opened is not None and _is_code(opened)
    if opened is not None and not is_cut:
        text += lines
    return Fenced(tuple(blocks), "\n".join(text).strip(), is_cut)


def _ends(fence: re.Match[str], opened: re.Match[str]) -> bool:
    is_deeper = len(fence["indent"]) > len(opened["indent"]) + _DEEPER
    return not _info(fence) and not is_deeper and fence["marks"].startswith(opened["marks"])


def _is_code(fence: re.Match[str]) -> bool:
    return _info(fence).partition(" ")[0].lower() in _CODE


def _info(fence: re.Match[str]) -> str:
    return fence["info"].strip(" \t")


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
        pool: SandboxPool | None = None,
    ) -> None:
        """Take the candidates, and the pool of processes that run snippets, which conversations can share.

        Errors are raised, and processes started, on first use.
        """
        self._candidates = candidates
        self._functions = Functions(candidates, CompiledStubs() if stubs is None else stubs)
        self._session = CodeSession(
            self._functions, CodeActLimits() if limits is None else limits, SandboxPool() if pool is None else pool
        )

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

    async def execute(self, turn: Turn, ops: PresentationOps) -> Turn:
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
