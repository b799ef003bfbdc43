"""The provider-independent records between a model and its host: offered tools, replies, and answers to calls.

The calls in a reply are `ToolRequest`s, with the names that the model was given.
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
    """A tool that may be offered to a model. `name` fits the provider's grammar, `args` is a JSON Schema of an object.

    Providers send these and the description; few APIs have `title` and `is_readonly`. `ident`, `tags` and
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
        """Whether it changes nothing, according to its spec."""
        return self.permission == "readonly"

    @property
    def short_description(self) -> str:
        """The first line of its description."""
        return self.description.strip().partition("\n")[0].strip()


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ModelReply:
    """One response of a model: its text, and the requested calls, in order. Their payloads are text."""

    text: str = ""
    calls: tuple[ToolRequest, ...] = ()

    def __init__(self, *, text: str = "", calls: tuple[ToolRequest, ...] = ()) -> None:
        # As dataclasses would write it, and a third faster.
        _set_text(self, text)
        _set_calls(self, calls)


_set_text, _set_calls = setter(ModelReply, "text"), setter(ModelReply, "calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """The answer to one call: the result or error as text. `name` is that of the request."""

    tool_call_id: str
    name: str
    text: str
    is_error: bool = False
