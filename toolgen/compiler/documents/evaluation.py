"""Evaluation files: cases that tell how well models choose and call tools. They are no part of a package."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from toolgen.compiler.documents.base import Handler, NameOf, NonEmpty, SelectorText, Spec, SpecFileHead, Text, Word

EVALUATION_HEAD: Final = "eval"
"""The key that an evaluation has, in place of the head of a spec."""

_MOST_EXPECTED: Final = 100
"""Calls that one case expects, and alternatives of one."""

MOST_TURNS: Final = 50
"""Turns of one case."""


class CallSpec(Spec):
    """A call that is expected."""

    call: Annotated[NonEmpty, NameOf("tool")]
    """The ident of the tool."""
    args: dict[str, Any] = {}
    """Args with the values that they must have. Others may be given too."""
    fields: dict[str, Handler | dict[str, Any] | bool] = {}
    """Args with what their value must be: a JSON Schema, `false` if it must not be given, or `module:name` of a
    function that takes the value and returns whether it is right."""
    exact: bool = False
    """Whether args that are neither in `args` nor in `fields` are wrong."""


class AlternativesSpec(Spec):
    """Calls of which one is expected."""

    one_of: Annotated[list[CallSpec], Field(min_length=1, max_length=_MOST_EXPECTED)]
    """Calls of which any is right."""


class UserSpec(Spec):
    """What the user said."""

    user: Text
    """The text of the user."""


class AssistantSpec(Spec):
    """What the model said before."""

    assistant: Text
    """The text of the model."""


class ResultSpec(Spec):
    """What calls of a tool get, in place of its real result."""

    call: Annotated[NonEmpty, NameOf("tool")]
    """The ident of the tool."""
    args: dict[str, Any] = {}
    """The values of args that a call must have to get this; without any, all calls of the tool get it."""
    result: Any = None
    """The result, as JSON."""
    error: str = ""
    """The message with which the call fails, in place of a result."""


class CaseSpec(Spec):
    """One case."""

    question: Text = ""
    """What the user asks: one message."""
    messages: list[UserSpec | AssistantSpec] = []
    """The messages of a conversation so far, in place of `question`; the last one is the user's."""
    expect: Annotated[list[CallSpec | AlternativesSpec], Field(max_length=_MOST_EXPECTED)] | None = None
    """The calls that are right, each once; empty if no tool fits. Without it, only `avoid` and `check` decide."""
    any_order: bool = False
    """Whether the calls may be made in any order."""
    allow: list[SelectorText] = []
    """Tools that may also be called, any number of times."""
    avoid: list[SelectorText] = []
    """Tools that must not be called."""
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)] = 1
    """How many responses the model may give. With more than one, its calls get `results`, or else what stubs answer."""
    results: list[ResultSpec] = []
    """What calls get, the first that fits; other calls get an example of the tool, or a value made from its schema."""
    check: Handler | None = None
    """A function that looks at the end of the conversation, and returns whether it is right, or raises an error."""
    tags: list[Word] = []
    """Words to choose cases by."""


class EvalFile(SpecFileHead):
    """An evaluation: cases that tell how well models choose and call tools."""

    eval: Word
    """The name of the evaluation."""
    agent: Annotated[str, NameOf("agent")] = ""
    """The agent whose tools are shown; without it, all tools of the package are."""
    system: str = ""
    """The system prompt, before what the presentation of the tools adds."""
    tags: list[Word] = []
    """Words to choose cases by, which all cases have."""
    cases: dict[Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=200)], CaseSpec]
    """The cases by name."""
