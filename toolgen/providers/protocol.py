"""Providers: pure functions between records and the JSON of an API. No network, no SDK."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias, TypeGuard

from toolgen.contract.picklable import Picklable
from toolgen.contract.records import setter
from toolgen.schema.json_values import args_of, compact_json, is_number, is_object

if TYPE_CHECKING:
    import re

    from toolgen.contract.records import ToolRequest
    from toolgen.providers.schema_dialects import Dialect, StrictDialect
    from toolgen.spec.wire_names import Grammar


# The provider-independent records between a model and its host: offered tools, replies, and answers to calls.
#
# The calls in a reply are `ToolRequest`s, with the names that the model was given.

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


Incomplete: TypeAlias = Literal["token_limit", "malformed_call", "stopped"]
"""Why a response is not all that the model wanted to write: the limit of tokens was reached, the API could not parse a
call, or the API stopped the model, such as by a content filter."""


@dataclass(frozen=True, slots=True, kw_only=True, init=False)
class ModelReply:
    """One response of a model: its text, and the requested calls, in order. Their payloads are text.

    If it is `incomplete`, args of its calls may be missing, and nothing of it must be run.
    """

    text: str = ""
    calls: tuple[ToolRequest, ...] = ()
    incomplete: Incomplete | None = None

    def __init__(
        self, *, text: str = "", calls: tuple[ToolRequest, ...] = (), incomplete: Incomplete | None = None
    ) -> None:
        # As dataclasses would write it, and a third faster.
        _set_text(self, text)
        _set_calls(self, calls)
        _set_incomplete(self, incomplete)


_set_text, _set_calls = setter(ModelReply, "text"), setter(ModelReply, "calls")
_set_incomplete = setter(ModelReply, "incomplete")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallAnswer:
    """The answer to one call: the result or error as text. `name` is that of the request."""

    tool_call_id: str
    name: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class OfferProblem:
    """Why a tool cannot be offered to a provider. `pointer` is a JSON pointer into its args, empty for all of them."""

    tool: str
    reason: str
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.tool}{self.pointer and f' at {self.pointer}'}: {self.reason}"


def argument_problems(tool: str, schema: Mapping[str, Any], grammar: re.Pattern[str] | None) -> Iterator[OfferProblem]:
    """Return the args with names that the API rejects; it checks only those at the root."""
    for name in schema.get("properties", {}):
        if grammar is not None and not grammar.fullmatch(name):
            yield OfferProblem(tool, f"the arg {name!r} has a name that is not {grammar.pattern}", "/properties")


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """A difference between the schema sent to a provider and the tool's schema.

    `pointer` is the JSON pointer of a part of the schema. If the effect is `looser`, the provider does not enforce
    `keyword` there, or, if that is empty, the whole part: it is described to the model, and the runtime checks it. If
    it is `tighter`, some args that the schema allows cannot be sent: undeclared fields (`additionalProperties`), or a
    null for an optional field, because null means absent (`type`).
    """

    tool: str
    pointer: str
    keyword: str
    effect: Literal["looser", "tighter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPayload:
    """The tools in a request to a provider.

    `fields` are members of the request, such as `{"tools": [...]}`, without tools with `problems`. `restorers` convert
    args, by the name of a tool, from the provider's schema back to the tool's schema, and `projectors` the other way.
    """

    fields: Mapping[str, Any]
    problems: tuple[OfferProblem, ...] = ()
    differences: tuple[SchemaDifference, ...] = ()
    restorers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict[str, "Callable[[Any], Any]"])
    projectors: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict[str, "Callable[[Any], Any]"])

    def restore(self, name: str, arguments: bytes | str) -> bytes | str:
        """Return the args of a call in the form of the tool's schema.

        The text is unchanged if there is nothing to convert, and if it is not JSON as the runtime takes it: the
        runtime rejects it then. Raises `NotRestored`.
        """
        restorer = self.restorers.get(name)
        if restorer is None:
            return arguments
        try:
            try:
                sent = args_of(arguments)
            except ValueError:
                return arguments
            value = restorer(sent)
            return arguments if value == sent else compact_json(value)
        except RecursionError:
            raise NotRestored("", "too many levels of nesting", NESTED_LESS) from None

    def project(self, name: str, arguments: str) -> str:
        """Return args of a tool's schema in the form that a model sends, empty if that is not possible."""
        projector = self.projectors.get(name)
        if projector is None:
            return arguments
        try:
            return compact_json(projector(args_of(arguments)))
        except (ValueError, OverflowError, RecursionError):
            return ""


class StreamReader(Protocol):
    """Reads the events of one streamed response, in their order."""

    def add(self, event: Mapping[str, Any], /) -> str:
        """Take an event, as plain JSON; return the text for people in it. Raises `MalformedResponse`."""
        ...

    def response(self) -> dict[str, Any]:
        """Return the whole response, as `Provider.read` takes it.

        Raises `MalformedResponse` if the stream ended before the response did.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFormat:
    """What a conversation has beside responses: system texts, and turns that no response of the API is known for.

    `system` returns a system text as members of the request, or, for the API that has it there, as the `messages`.
    `user` returns the message of a user; `response` is the inverse of `Provider.read`, for turns such as those of
    another model. `tokens` are the members of a response's usage that are summed up to the tokens of the input and of
    the output, `usage` where the usage is.
    """

    system: Callable[[str], dict[str, Any]]
    user: Callable[[str], dict[str, Any]]
    response: Callable[[ModelReply], dict[str, Any]]
    usage: Sequence[str]
    tokens: Mapping[str, Sequence[str]]

    def tokens_of(self, response: Mapping[str, Any]) -> dict[str, float]:
        """Return `input_tokens` (those from caches are among them) and `output_tokens`, as far as they are known.

        What is no count, such as a negative number, is not known.
        """
        usage = next((response[name] for name in self.usage if is_object(response.get(name))), dict[str, Any]())
        found = {total: [usage.get(name) for name in names] for total, names in self.tokens.items()}
        known = {total: list(filter(_is_count, figures)) for total, figures in found.items()}
        return {total: sum(figures) for total, figures in known.items() if figures}


_MOST_TOKENS: Final = 10**12
"""Tokens of a response that can be; more are no figure."""


def _is_count(value: Any) -> TypeGuard[int | float]:
    return is_number(value) and 0 <= value <= _MOST_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Provider(ABC):
    """One API format: everything that differs between APIs. Nothing has a default, so that nothing can be left out.

    `name` is that in the table of providers, `telemetry_name` that of OpenTelemetry's conventions. `grammar` is the
    grammar of tool names, `dialect` the subset of JSON Schema for args, `max_tools` how many tools a request may have,
    None for any number. `reader` creates a reader of one streamed response, None where streams cannot be read. `turns`
    is the rest of a conversation, None for the side of a server, which has none.

    All methods are pure, and all returned JSON is new, not shared with arguments.
    """

    name: str
    telemetry_name: str
    grammar: Grammar
    dialect: Dialect | StrictDialect
    max_tools: int | None
    reader: Callable[[], StreamReader] | None
    turns: TurnFormat | None

    @property
    def strict(self) -> bool:
        """Whether a request asks for calls that follow the schema."""
        return self.dialect.is_strict

    @abstractmethod
    def tools(self, offered: Sequence[OfferedTool], /) -> ToolPayload:
        """Return the tools of a request."""

    @abstractmethod
    def tool_choice(self, mode: ChoiceMode, name: str = "", /) -> dict[str, Any]:
        """Return the members of a request for the choice; they are merged into those of `tools`, if nested.

        `name` is that of the tool if the mode is `named`.

        Raises `UnsupportedCapability` for a choice that the API does not support.
        """

    @abstractmethod
    def read(self, response: Mapping[str, Any], /) -> ModelReply:
        """Parse a response of the API, as plain JSON. Raises `MalformedResponse`."""

    @abstractmethod
    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = "", /
    ) -> list[dict[str, Any]]:
        """Return what to append to the conversation: the model's turn, unchanged, and the answers to it.

        These are an answer to each of its calls, and a message, if there is one.

        Raises `MalformedResponse`, and ValueError if a call has no answer.
        """

    def stream_reader(self) -> StreamReader:
        """Return a reader for one response. Raises `UnsupportedCapability` where streams cannot be read."""
        if self.reader is None:
            raise UnsupportedCapability(self.name, [OfferProblem("the response", "it cannot be read as a stream")])
        return self.reader()


class UnsupportedCapability(Picklable, ValueError):
    """The provider does not support a request, so it is not sent. `problems` are the tools and reasons."""

    code: Final = "unsupported_capability"

    def __init__(self, provider: str, problems: Sequence[OfferProblem]) -> None:
        self.provider = provider
        self.problems = tuple(problems)
        super().__init__(f"{provider} does not support this: {'; '.join(map(str, self.problems))}")


NESTED_LESS: Final = "nest the value less deeply, or split it over several calls"


class NotRestored(Picklable, ValueError):
    """The args of a call cannot be converted to the tool's schema, so that it must not be made.

    `pointer` leads to the part, `found` says what is wrong there, `hint` how to fix it.
    """

    def __init__(self, pointer: str, found: str, hint: str) -> None:
        self.pointer = pointer
        self.found = found
        self.hint = hint
        super().__init__(f"{pointer or 'the args'}: {hint} (found {found})")


class MalformedResponse(ValueError):
    """A response does not match the API. The message says where, and never quotes the response."""


def request_fields(payload: ToolPayload, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the tools of a request with the result of `tool_choice`."""
    joined = dict(payload.fields)
    for name, value in choice.items():
        there = joined.get(name)
        joined[name] = {**there, **value} if isinstance(there, dict) and isinstance(value, dict) else value
    return joined
