"""Presentations: how a model is shown the tools, and how its answers are read back as calls.

They stand between a model and the pipeline, and know of neither policies nor registries: what they may tell of is given
to them, and what they want done they ask for through `Ops`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from toolgen.contract.records import ToolRequest, ToolResult
    from toolgen.providers.messages import CallAnswer, ModelReply, OfferedTool


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
class RequestedCall:
    """One call of an answer: as the model wrote it, and what it comes to.

    That is a request to the pipeline, or, where there is nothing that could be run, the answer at once.
    """

    asked: ToolRequest
    request: ToolRequest | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of a model, and what came of it. Each step of a turn gives one that says more.

    As it is read: `text` is what the model said to people, `calls` are those that it asks for, and `code` is what it
    wants to be run. As it is executed: `results` are those of the calls that have a request, in their order; of code,
    `calls` are those that it made, and `report` is what came of it. As it is told to the model: `answers` to its calls,
    and `report`, a message. `messages` are what is appended to the conversation, as the provider's API has it.
    """

    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    code: str | None = None
    results: tuple[ToolResult[Any], ...] = ()
    answers: tuple[CallAnswer, ...] = ()
    report: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def is_final(self) -> bool:
        """Whether the model asked for nothing more: the last word."""
        return not self.calls and self.code is None

    @property
    def made(self) -> list[tuple[RequestedCall, ToolResult[Any]]]:
        """The calls that were made, each with its result."""
        return list(zip((call for call in self.calls if call.request is not None), self.results, strict=True))


class Ops(Protocol):
    """What a presentation may have done: calls, through the pipeline, in the run it belongs to."""

    async def call(self, requests: Sequence[ToolRequest], /) -> list[ToolResult[Any]]:
        """Make all calls of one turn, and give a result for each, in their order. Only cancellation is raised."""
        ...


class Presentation(Protocol):
    """One way to show tools, in one conversation. Turns that are final are not executed."""

    def build_presentation(self) -> ToolListing:
        """Say what the next request tells the model; the same object as long as nothing changed."""
        ...

    def interpret(self, reply: ModelReply, /) -> Turn:
        """Read an answer. Nothing is run, and nothing raises: what makes no sense is a call that is refused."""
        ...

    async def execute(self, turn: Turn, ops: Ops, /) -> Turn:
        """Have done what an answer asks for."""
        ...

    async def format_feedback(self, turn: Turn, /) -> Turn:
        """Say to the model what came of its answer."""
        ...
