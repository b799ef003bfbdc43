"""What a provider is: pure functions between the project's records and the JSON of its API. No network, and no SDK."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from toolgen.schema.json_values import compact_json, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.providers.messages import CallAnswer, ChoiceMode, ModelReply, OfferedTool
    from toolgen.spec.wire_names import Grammar


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a provider cannot be offered a tool. `pointer` is a JSON pointer into its args, empty for all of them."""

    tool: str
    reason: str
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.tool}{self.pointer and f' at {self.pointer}'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where what a provider is told of a tool's args says other than its schema does.

    `pointer` is the JSON pointer of a part of the schema. Where the effect is `looser`, nothing at the provider
    enforces `keyword` there, or, where that is empty, any of that part: the model is told of it in a description, and
    the runtime checks it. Where it is `tighter`, some args that the schema allows cannot be sent: fields that nobody
    declared (`additionalProperties`), or a null for an optional field, where null stands for absent (`type`).
    """

    tool: str
    pointer: str
    keyword: str
    effect: Literal["looser", "tighter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a request to a provider says of tools.

    `fields` are members of the request, such as `{"tools": [...]}`; tools with `problems` are not in them.
    `restorers` undo, by the name of a tool, what its schema had changed for the provider.
    """

    fields: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()
    differences: tuple[Difference, ...] = ()
    restorers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict[str, "Callable[[Any], Any]"])

    def restore(self, name: str, arguments: bytes | str) -> bytes | str:
        """Return the args of a call as the tool's own schema has them.

        The text is left as it is where nothing has to be undone, and where it is no JSON, has numbers that are not
        finite, or is nested too deep to be looked at. That is for the runtime to refuse.
        """
        restorer = self.restorers.get(name)
        if restorer is None:
            return arguments
        try:
            sent = value_of(arguments)
            value = restorer(sent)
            return arguments if value == sent else compact_json(value)
        except (ValueError, OverflowError, RecursionError):
            return arguments


class Provider(Protocol):
    """One way to talk to models. All of it is pure, and all JSON is new: none of it is shared with what was given."""

    @property
    def name(self) -> str:
        """What it is called in the table of providers."""
        ...

    @property
    def grammar(self) -> Grammar:
        """How it lets tools be called."""
        ...

    def tools(self, offered: Sequence[OfferedTool], /) -> Payload:
        """Say what a request tells of tools."""
        ...

    def tool_choice(self, mode: ChoiceMode, name: str = "", /) -> dict[str, Any]:
        """Return the members of a request that make the choice; members of those of `tools`, where these nest.

        `name` is that of the tool where the mode is `named`.

        Raises `UnsupportedCapability` for a choice that the API does not have.
        """
        ...

    def read(self, response: Mapping[str, Any], /) -> ModelReply:
        """Read a response of the API, as plain JSON. Raises `MalformedResponse`."""
        ...

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = "", /
    ) -> list[dict[str, Any]]:
        """Return what is appended to the conversation: the model's own turn, unchanged, and what it is told after it.

        That is an answer to each of its calls, and a message, where there is one.

        Raises `MalformedResponse`, and ValueError where a call has no answer.
        """
        ...


class UnsupportedCapability(ValueError):
    """A request asks for what a provider cannot do, so it is not sent. `problems` say for which tools, and why."""

    code: Final = "unsupported_capability"

    def __init__(self, provider: str, problems: Sequence[Problem]) -> None:
        self.provider = provider
        self.problems = tuple(problems)
        super().__init__(f"{provider} cannot be asked this: {'; '.join(map(str, self.problems))}")

    def __reduce__(self) -> tuple[type[UnsupportedCapability], tuple[str, tuple[Problem, ...]]]:
        return (UnsupportedCapability, (self.provider, self.problems))


class MalformedResponse(ValueError):
    """A response is not what the API promises. The message says where, and never quotes what was there."""


def request_fields(payload: Payload, choice: Mapping[str, Any]) -> dict[str, Any]:
    """Join what a request says of tools with what `tool_choice` gave."""
    joined = dict(payload.fields)
    for name, value in choice.items():
        there = joined.get(name)
        joined[name] = {**there, **value} if isinstance(there, dict) and isinstance(value, dict) else value
    return joined
