"""What passes between a model and its host, as no provider spells it: tools offered, an answer, and what is told of it.

The calls in an answer are `ToolRequest`s, by the names that the model was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolgen.contract.setters import setter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.contract.records import ToolRequest

ChoiceMode: TypeAlias = Literal["auto", "required", "none", "named"]
"""Whether a model may call tools (`auto`), must (`required`), must not (`none`), or must call the one `named`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool that a model may be offered. `name` is in the provider's grammar, `args` a JSON Schema of an object.

    Providers send these and the description; few APIs have a place for `title` and `is_readonly`. `ident`, `tags` and
    `result`, a JSON Schema of anything, are for presentations.
    """

    name: str
    description: str
    args: Mapping[str, Any]
    title: str = ""
    permission: str = ""
    ident: str = ""
    tags: frozenset[str] = frozenset()
    result: Any = True

    @property
    def is_readonly(self) -> bool:
        """Whether it changes nothing, as its spec says."""
        return self.permission == "readonly"

    @property
    def short_description(self) -> str:
        """The first line of its description."""
        return self.description.strip().partition("\n")[0].strip()


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ModelReply:
    """One answer of a model: what it said, and the calls it asks for, in their order. Their payloads are text."""

    text: str = ""
    calls: tuple[ToolRequest, ...] = ()

    def __init__(self, *, text: str = "", calls: tuple[ToolRequest, ...] = ()) -> None:
        # As dataclasses would write it, and a third faster.
        _set_text(self, text)
        _set_calls(self, calls)


_set_text, _set_calls = setter(ModelReply, "text"), setter(ModelReply, "calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """What a model is told of one call: the result, or what went wrong, as text. `name` is as it was asked for."""

    tool_call_id: str
    name: str
    text: str
    is_error: bool = False
