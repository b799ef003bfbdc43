"""Presentations: how a model is shown the tools, and how its answers are read back as calls.

They stand between a model and the pipeline, and know of neither policies nor registries: what they may tell of is given
to them, and what they want done they ask for through `Ops`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.providers.messages import Feedback, ModelCall, ModelReply, OfferedTool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ToolListing:
    """What one request to a model says of tools.

    `tools` are advertised in the request's own list, in this order. `dispatchable` are the idents that an answer may
    lead to: never fewer than are advertised, and more where tools are reached by another way. `prompt` is a section of
    the system prompt, or empty.
    """

    tools: tuple[OfferedTool, ...]
    dispatchable: Container[str]
    prompt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """An answer that asks for nothing: the last word of a turn."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """One call of an answer: as the model wrote it, and what it comes to.

    That is a request to the pipeline, or, where there is nothing that could be run, the answer at once.
    """

    asked: ModelCall
    request: ToolRequest | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """An answer that asks for calls; `text` is what it said beside them."""

    calls: tuple[RequestedCall, ...]
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """An answer that asks for code to be run; `text` is what it said beside it."""

    code: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an answer.

    `asked` are its calls, and `results` those of the calls among them that have a request, in their order. `report` is
    what a snippet comes to, for the model.
    """

    asked: tuple[RequestedCall, ...] = ()
    results: tuple[ToolResult[Any], ...] = ()
    report: str = ""

    @property
    def made(self) -> list[tuple[RequestedCall, ToolResult[Any]]]:
        """The calls that were made, each with its result."""
        return list(zip((call for call in self.asked if call.request is not None), self.results, strict=True))


class Ops(Protocol):
    """What a presentation may have done: calls, through the pipeline, in the run it belongs to."""

    async def call(self, requests: Sequence[ToolRequest], /) -> list[ToolResult[Any]]:
        """Make all calls of one turn, and give a result for each, in their order. Only cancellation is raised."""
        ...


class Presentation(Protocol):
    """One way to show tools, in one conversation. `execute` is given what `interpret` gave, if it is not plain text."""

    def build_presentation(self) -> ToolListing:
        """Say what the next request tells the model; the same object as long as nothing changed."""
        ...

    def interpret(self, reply: ModelReply, /) -> PlainText | Calls | Snippet:
        """Read an answer. Nothing is run, and nothing raises: what makes no sense is a call that is refused."""
        ...

    async def execute(self, action: Calls | Snippet, ops: Ops, /) -> Outcome:
        """Have done what an answer asks for."""
        ...

    async def format_feedback(self, outcome: Outcome, /) -> Feedback:
        """Say to the model what came of its answer."""
        ...
