"""The toolset file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from toolgen.compiler.documents.base import (
    Dialect,
    DottedName,
    NonEmpty,
    Role,
    Schema,
    Spec,
    SpecFileHead,
    Text,
    ToolKey,
    TypeName,
    Word,
    WordPattern,
)

NonNegative = Annotated[int, Field(ge=0)]
Names = list[NonEmpty]
OneOrMore = NonEmpty | Names


class AccessSpec(Spec):
    """What a call touches: names of args, by what they hold."""

    read: OneOrMore = []
    """Args that hold a path, or paths, to read."""
    write: OneOrMore = []
    """Args that hold a path, or paths, to write."""
    exec: OneOrMore = []
    """Args that hold an argv, or a program."""
    cwd: OneOrMore = []
    """Args that hold a folder inside the write roots."""
    url: OneOrMore = []
    """Args that hold a URL."""
    hosts: OneOrMore = []
    """Fixed host names, not args."""
    scope: OneOrMore = []
    """Args that name the resource in some other way."""


class LimitsSpec(Spec):
    """Bounds; 0 means no limit."""

    cooldown_seconds: Annotated[int | float, Field(ge=0)] = 0
    """Seconds between two calls of one user."""
    daily_limit: NonNegative = 0
    """Calls of one user in one UTC day."""
    timeout_ms: NonNegative | None = None
    """Milliseconds before the call is given up; the policy's, when left out."""
    result_bytes: NonNegative | None = None
    """A result over this many bytes becomes an artifact; the policy's, when left out."""


class ExampleSpec(Spec):
    """A call, and what it answers."""

    args: dict[str, Any] = {}
    result: Any = None


class TagSpec(Spec):
    """How the tool is called by a line of text."""

    prefix: Annotated[str, Field(pattern=WordPattern, max_length=64)] | None = None
    """The word before the colon; the tool key in capitals, when left out."""
    pattern: NonEmpty | None = None
    """A regular expression with one group for each required arg; made from the args, when left out."""
    example: str = ""
    """How the line is shown in the prompt."""
    strip_from_display: bool = True
    """Whether the line is taken out of what the user sees."""


class CommandSpec(Spec):
    """What a command tool runs."""

    exec: list[NonEmpty | list[NonEmpty]] = []
    """The argv; a nested list is left out as a whole when one of its args is absent."""
    shell: str = ""
    """One line for a shell; every value in it is quoted."""
    cwd: NonEmpty = "."
    """The folder it runs in, inside the allowed roots."""
    env: list[NonEmpty] = []
    """Variables passed on, beside the policy's."""
    stderr_bytes: NonNegative = 8192
    """How much of stderr is kept."""


class HintsSpec(Spec):
    """One line each for people; templates over the typed values."""

    call: str = ""
    result: str = ""


class BoundedSpec(Spec):
    """The result is a page."""

    cursor: NonEmpty
    """The arg that takes the cursor."""
    next: NonEmpty
    """The result field that gives the next cursor."""


class ToolDefaultsSpec(Spec):
    """Tool keys that hold for every tool of the file."""

    permission: Literal["readonly", "write"] | None = None
    """Whether a call changes anything; `write`, when left out. Write asks, unless a policy says otherwise."""
    tags: list[Word] = []
    """Words that policies match: built-in ones, or ones that a shared file declares."""
    roles: list[Role] | Literal["any"] | None = None
    """Agents of other roles never hold this tool; `any`, when left out."""
    inject: Names = []
    """Fields of the method's payload, or of the args, that the host fills from the call's context."""
    limits: LimitsSpec | None = None
    """Bounds on its calls."""
    cost: Literal["free", "cheap", "expensive"] | None = None
    """For the eval gate; `free`, when left out."""
    gate: bool | None = None
    """Whether the eval gate must be asked; no, when left out."""
    access: AccessSpec | None = None
    """What a call touches: the scope of a grant for the session."""


class ToolSpec(ToolDefaultsSpec):
    """One tool."""

    title: Text | None = None
    """A short name for people; the key in words, when left out."""
    description: Text
    """What it does, for the model; the first line is the short description."""
    args: Schema = None
    """The arguments: fields, or JSON Schema of an object."""
    result: Schema = None
    """The result; any JSON, when left out."""
    one_of: Names = []
    """Args of which exactly one must be given."""
    confirm: str = ""
    """Ask with this text, even for a readonly tool."""
    examples: list[ExampleSpec] = []
    """Calls and their results, checked against the schemas."""
    rename: dict[str, NonEmpty] = {}
    """Wire name to Python name, for fields whose names collide in Python."""
    tag: TagSpec | None = None
    """The tool can be called by a line of text."""
    bind: NonEmpty | None = None
    """The method it is bound to (service)."""
    user: str = ""
    """The user message of the child run (agent)."""
    system: str = ""
    """The system message of the child run (agent)."""
    command: CommandSpec | None = None
    """What it runs (command)."""
    remote: NonEmpty | None = None
    """The server's own name for the tool (mcp)."""
    imported: NonEmpty | None = None
    """A digest of the title and the description that the server gave it, for the next import (mcp)."""
    wire_name: NonEmpty | None = None
    """What providers call the tool; made from the ident, when left out."""
    hints: HintsSpec = HintsSpec()
    """One line each for people."""
    bounded: BoundedSpec | None = None
    """The result is a page."""
    server_data: dict[Word, Schema] = {}
    """Typed data beside the result, never shown to a model."""
    reminder: str = ""
    """Said to the model with the result."""


class MethodSpec(Spec):
    """A method of the service: what tools bind to."""

    payload: Schema = None
    result: Schema = None


class MethodReference(Spec):
    """A method of another file."""

    ref: Annotated[str, Field(alias="$ref")]


class ServerSpec(Spec):
    """How an MCP server is reached."""

    http: NonEmpty | None = None
    sse: NonEmpty | None = None
    stdio: Annotated[list[NonEmpty], Field(min_length=1)] | None = None
    headers: dict[NonEmpty, str] = {}
    env: list[NonEmpty] = []
    retries: NonNegative = 2


class ToolsetFile(SpecFileHead):
    """Tools with one owner and one kind."""

    toolset: DottedName
    """The prefix of the idents of its tools."""
    kind: Literal["service", "agent", "mcp", "command"] = "service"
    """Who runs the tools."""
    description: str = ""
    """What its tools are for."""
    dialect: Dialect = "2020-12"
    """The JSON Schema draft of schemas that name none."""
    types: dict[TypeName, Schema] = {}
    """Named schemas."""
    methods: dict[Word, MethodSpec | MethodReference] = {}
    """Methods of the service that tools bind to."""
    server: ServerSpec | None = None
    """How the MCP server is reached; the host may override it."""
    defaults: ToolDefaultsSpec = ToolDefaultsSpec()
    """Tool keys that hold for every tool of this file."""
    tools: dict[ToolKey, ToolSpec]
