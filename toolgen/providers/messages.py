"""What passes between a model and its host, as no provider spells it: tools offered, calls asked for, answers given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool as a model is told of it. `name` is in the provider's grammar, `args` a JSON Schema of an object.

    `title` and `is_readonly` are for people before whom a client shows it; few APIs have a place for them.
    """

    name: str
    description: str
    args: Mapping[str, Any]
    title: str = ""
    is_readonly: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call that a model asks for. `arguments` is JSON text, which nobody has looked at."""

    tool_call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReply:
    """One answer of a model: what it said, and the calls it asks for, in their order."""

    text: str = ""
    calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """What a model is told of one call: the result, or what went wrong, as text. `name` is as it was asked for."""

    tool_call_id: str
    name: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a model is told after a turn: an answer to each of its calls, or, where it made none as such, a message."""

    answers: tuple[CallAnswer, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """Whether a model may call tools (`auto`), must (`required`), must not (`none`), or must call the one `named`."""

    mode: Literal["auto", "required", "none", "named"] = "auto"
    name: str = ""
