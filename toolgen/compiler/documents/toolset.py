"""The toolset file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from toolgen.compiler.documents.base import (
    Dialect,
    DottedName,
    Handler,
    NameOf,
    NonEmpty,
    Schema,
    Spec,
    SpecFileHead,
    TagName,
    Text,
    ToolKey,
    TypeName,
    VariableName,
    Word,
    WordPattern,
)
from toolgen.spec.tool_settings import Cost, Role  # noqa: TC001  # pydantic reads them

# The parts that describe an HTTP API (kind http).

_ParamLocation = Literal["path", "query", "header", "cookie", "querystring"]
"""Where an arg is sent; `querystring` is the whole query string. Args without a place are fields of the body."""

_Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""How values are serialized: the styles of OpenAPI 3.2, and the tab-separated lists of Swagger 2.0."""

_Separators = Literal["refuse", "encode", "keep_slash"]
"""What `/`, `\\`, `;`, `?` and `#` in a value of the path do.

Servers decode a path before they route, so an encoded `/` can lead to another operation. `refuse` refuses the call.
`encode` sends them percent-encoded, for an API that routes before it decodes. `keep_slash` sends `/` as it is, for a
value of several segments, and refuses the others. Segments of dots are always refused.
"""

_Security = list[list[NonEmpty]]
"""Alternatives, each a list of keys of `auth` that are used together. An empty alternative is no authentication."""


class AuthSpec(Spec):
    """One way to authenticate. Secrets are `$env.NAME`: the value of an environment variable."""

    type: Literal["api_key", "basic", "bearer", "oauth2"]
    """`oauth2` is the client credentials flow (RFC 6749, section 4.4); the other flows end in a `bearer` token."""
    in_: Annotated[Literal["header", "query", "cookie"] | None, Field(alias="in")] = None
    """Where an `api_key` is sent."""
    name: NonEmpty | None = None
    """The name of the header, query parameter or cookie of an `api_key`."""
    value: NonEmpty | None = None
    """The key (api_key)."""
    username: str | None = None
    """The user (basic)."""
    password: str | None = None
    """The password (basic)."""
    token: NonEmpty | None = None
    """The token (bearer)."""
    token_url: NonEmpty | None = None
    """The token endpoint (oauth2)."""
    client_id: NonEmpty | None = None
    """The client (oauth2)."""
    client_secret: NonEmpty | None = None
    """The client's secret (oauth2)."""
    scopes: list[NonEmpty] = []
    """The requested scopes (oauth2)."""


class ApiSpec(Spec):
    """An HTTP API."""

    base_url: NonEmpty | None = None
    """The URL that paths are appended to. Default: the host's `base_url`, which also overrides this one."""
    app: Handler | None = None
    """An ASGI app that answers all requests in the same process, without a socket, as `module:name`."""
    headers: dict[NonEmpty, str] = {}
    """Headers of every request; `$env.NAME` is the value of an environment variable."""
    auth: dict[NonEmpty, AuthSpec] = {}
    """Ways to authenticate, by name."""
    security: _Security | None = None
    """Which `auth` a request uses: the first alternative whose variables are set. Default: each one alone."""
    retries: Annotated[int, Field(ge=0)] = 2
    """How often a request is repeated that was never sent, or may be sent twice."""
    validate_responses: bool = True
    """Whether a 2xx that does not fit the result is a failure. Otherwise it is returned and reported, as in imports."""
    idempotency_header: NonEmpty | None = None
    """A header that gets a random key, the same for each repetition; with it, POST and PATCH are repeated too."""


class ParamSpec(Spec):
    """Where and how an arg is sent."""

    in_: Annotated[_ParamLocation, Field(alias="in")]
    """The place."""
    name: NonEmpty | None = None
    """The name in the request. Default: the arg's."""
    style: _Style | None = None
    """Default: `simple` in paths and headers, `form` in queries and cookies."""
    explode: bool | None = None
    """Whether items and fields are sent one by one. Default: true for `form`, `cookie` and `deepObject`."""
    allow_reserved: bool = False
    """Whether reserved characters and percent-encoded triples stay as they are (path, query, cookie)."""
    separators: _Separators = "refuse"
    """What `/`, `\\`, `;`, `?`, `#` and their encodings in a value do (path). Default: the call is refused."""
    content: NonEmpty | None = None
    """The media type of the value, in place of a style."""


class EncodingSpec(Spec):
    """How a field of a form or multipart body is sent."""

    content_type: NonEmpty | None = None
    """The media type of the field."""
    style: _Style | None = None
    """The style of the field in a form. Default: lists as repeated fields, objects as JSON."""
    explode: bool | None = None
    """As in `params`."""
    allow_reserved: bool = False
    """As in `params`."""
    base64: bool = False
    """The arg is base64 text of the bytes that are sent."""
    type_arg: NonEmpty | None = None
    """The arg that is the media type of the field, where there are several. Default: `content_type`."""
    name_arg: NonEmpty | None = None
    """The arg that is the file name of the field, in a multipart body. Default: the name of the field."""


class BodySpec(Spec):
    """The body of a request: one arg, or all args that `params` does not place, as fields of an object."""

    media_type: NonEmpty
    """The media type."""
    arg: NonEmpty | None = None
    """The arg that is the whole body."""
    required: bool = False
    """Whether an empty body is sent if no field of it is given."""
    names: dict[NonEmpty, str] = {}
    """Names of fields in the body that differ from those of their args."""
    encoding: dict[NonEmpty, EncodingSpec] = {}
    """How fields of a form or multipart body are sent, by the name in the body."""
    base64: bool = False
    """The arg is base64 text of the bytes that are sent."""
    type_arg: NonEmpty | None = None
    """The arg that is the media type, where there are several. Default: `media_type`."""


class HttpSpec(Spec):
    """The HTTP request that a tool makes."""

    method: Annotated[str, Field(pattern=r"^[A-Za-z]+$")]
    """The method."""
    path: NonEmpty
    """The path, with `{name}` for each arg in it. A query (`?kind=new`) is always sent, a fragment never."""
    params: dict[NonEmpty, _ParamLocation | ParamSpec] = {}
    """Where args are sent, by arg; the place alone is enough where nothing else differs from its default."""
    body: BodySpec | None = None
    """The body."""
    base_url: NonEmpty | None = None
    """The URL that the path is appended to, if it is not that of the API."""
    security: _Security | None = None
    """As in `api`, for this tool; `[]` is no authentication."""
    idempotency_header: NonEmpty | None = None
    """As in `api`, for this tool."""
    errors: dict[NonEmpty, str] = {}
    """What a response means, by status (`404`, `4XX`): the hint of the error."""


@dataclass(frozen=True, slots=True)
class OnlyFor:
    """Marks a key of a tool that only some kinds of toolsets have."""

    kinds: tuple[str, ...]


_AGENT, _COMMAND, _HTTP = OnlyFor(("agent",)), OnlyFor(("command",)), OnlyFor(("http",))
_MCP, _SERVICE = OnlyFor(("mcp",)), OnlyFor(("service",))
_IMPORTED = OnlyFor(("mcp", "http", "service"))

NonNegative = Annotated[int, Field(ge=0)]
Names = list[NonEmpty]
OneOrMore = NonEmpty | Names


class AccessSpec(Spec):
    """The resources that a call accesses: names of args, by what they contain.

    Relative paths start in the folder in which the program runs, and also in that of `cwd`. Calls that are sent over
    the network have no paths.
    """

    read: OneOrMore = []
    """Args with a path, or paths, to read."""
    search: OneOrMore = []
    """Args with a path, or paths, to read with all that is below: outside of the project, this asks."""
    write: OneOrMore = []
    """Args with a path, or paths, to write."""
    exec: OneOrMore = []
    """Args with an argv, or a program."""
    cwd: OneOrMore = []
    """Args with the working directory, inside the write roots."""
    url: OneOrMore = []
    """Args with a URL."""
    hosts: OneOrMore = []
    """Fixed host names, not args."""
    scope: OneOrMore = []
    """Args that identify the resource in another way."""


class LimitsSpec(Spec):
    """Limits; 0 means no limit."""

    cooldown_seconds: Annotated[int | float, Field(ge=0)] = 0
    """Minimum seconds between two calls of one user."""
    daily_limit: NonNegative = 0
    """Maximum calls of one user per UTC day."""
    timeout_ms: NonNegative | None = None
    """Timeout in milliseconds. Default: the policy's."""
    result_bytes: NonNegative | None = None
    """Maximum result size in bytes; a larger result is stored as an artifact. Default: the policy's."""


class ExampleSpec(Spec):
    """An example call and its result."""

    args: dict[str, Any] = {}
    """The args of the call."""
    result: Any = None
    """Its result. Default: none is given."""


class TagSpec(Spec):
    """How the tool is called by a line of text (a tag)."""

    prefix: Annotated[str, Field(pattern=WordPattern, max_length=64)] | None = None
    """The word before the colon. Default: the tool key in upper case."""
    pattern: NonEmpty | None = None
    """A regular expression with one group per required arg. Default: derived from the args."""
    example: str = ""
    """The example line in the prompt."""
    strip_from_display: bool = True
    """Whether the line is removed from the text shown to the user."""


class CommandSpec(Spec):
    """The program that a command tool runs."""

    exec: list[NonEmpty | list[NonEmpty]] = []
    """The argv; a nested list is omitted as a whole if one of its args is absent."""
    shell: str = ""
    """One shell command line; every inserted value is quoted."""
    cwd: NonEmpty = "."
    """The working directory, inside the allowed roots."""
    env: list[VariableName] = []
    """Environment variables passed on, besides the policy's."""
    stderr_bytes: NonNegative = 8192
    """Maximum bytes of stderr to keep."""


class HintsSpec(Spec):
    """One-line summaries for people; templates over the typed values."""

    call: str = ""
    """The summary of a call, such as `Refund {{args.order_id}}`."""
    result: str = ""
    """The summary of its result, such as `Refunded {{result.refunded}}`."""


class BoundedSpec(Spec):
    """The result is one page of a paginated list."""

    cursor: NonEmpty
    """The arg for the cursor."""
    next: NonEmpty | None = None
    """The result field with the next cursor."""
    next_header: NonEmpty | None = None
    """The header with the next cursor, in place of `next` (http). Of `Link` it is what the next URL has for the arg."""


class ToolDefaultsSpec(Spec):
    """Default tool keys for every tool of the file."""

    permission: Literal["readonly", "write"] | None = None
    """Whether a call may change anything. Default: `write`, which asks for permission unless a policy decides."""
    tags: list[TagName] = []
    """Tags that policies match: built-in ones, or ones that a shared file declares."""
    roles: list[Role] | Literal["any"] | None = None
    """The roles of agents that may hold this tool. Default: `any`."""
    inject: Names = []
    """Fields of the method's payload, or of the args, that the host injects from the call's context."""
    limits: LimitsSpec | None = None
    """Limits of its calls."""
    cost: Cost | None = None
    """The cost class, for the eval gate. Default: `free`."""
    gate: bool | None = None
    """Whether the eval gate must approve each call. Default: false."""
    retry_hints: bool | None = None
    """Whether a validation error of the service itself is shown to the model as a hint on which args to correct.
    Default: false, a plain error."""
    access: AccessSpec | None = None
    """The resources that a call accesses: the scope of a session grant."""


class ToolSpec(ToolDefaultsSpec):
    """One tool."""

    title: Text | None = None
    """A short name for people. Default: the key as words."""
    description: Text
    """What the tool does, written for models; the first line is the short description."""
    args: Schema = None
    """The arguments: fields, or JSON Schema of an object."""
    result: Schema = None
    """The result schema. Default: any JSON."""
    one_of: Names = []
    """Args of which exactly one must be given."""
    confirm: Text = ""
    """Ask with this text, even for a readonly tool."""
    examples: list[ExampleSpec] = []
    """Example calls with their results, checked against the schemas."""
    rename: dict[str, NonEmpty] = {}
    """Maps JSON field names to Python names, for fields whose names collide in Python."""
    tag: TagSpec | None = None
    """Set if the tool can be called by a line of text."""
    handler: Annotated[Handler | None, _SERVICE] = None
    """The function, method or tool object that runs it, as `module:name` (service). Imported only to run it."""
    bind: Annotated[NonEmpty | None, _SERVICE, NameOf("method")] = None
    """The method it is bound to (service)."""
    user: Annotated[str, _AGENT] = ""
    """The user message of the child run (agent)."""
    system: Annotated[str, _AGENT] = ""
    """The system message of the child run (agent)."""
    command: Annotated[CommandSpec | None, _COMMAND] = None
    """The program that it runs (command)."""
    http: Annotated[HttpSpec | None, _HTTP] = None
    """The request that it makes (http)."""
    remote: Annotated[NonEmpty | None, _IMPORTED] = None
    """The source's own name for the tool, such as the server's, or the operation's (mcp, http, service)."""
    imported: Annotated[NonEmpty | None, _IMPORTED] = None
    """Digests of what the source said at the last import, compared with what it says later: of its title and
    description (mcp, http, service), and of its schemas and annotations (mcp)."""
    disabled: bool = False
    """Whether the tool is left out of the package. An import disables tools that their source no longer has. The
    request of a tool of kind http stays known: no value of the path of another tool leads to it."""
    source: Annotated[dict[NonEmpty, Any], _IMPORTED] = {}
    """What the source says where this spec says something else, by JSON pointer. Written by imports."""
    kept: Annotated[dict[NonEmpty, Any], _IMPORTED] = {}
    """What people wrote about parts that the source no longer has, by JSON pointer; null for an arg that they removed
    and the source has at another place. Written by imports: to accept that, remove it."""
    annotations: Annotated[dict[str, Any] | None, _MCP] = None
    """The server's hints about the tool's behavior, compared with what the server says later (mcp)."""
    icons: Annotated[list[dict[str, Any]], _MCP] = []
    """The server's icons of the tool, as MCP describes them (mcp)."""
    result_inferred: Annotated[bool | None, _MCP] = None
    """The result schema is not the server's (mcp). `true`: it was inferred from calls, and a result that differs is
    logged and returned. `false`: a person confirmed it, and a result that differs is an error."""
    wire_name: NonEmpty | None = None
    """The tool's name in requests to providers. Default: derived from the ident."""
    hints: HintsSpec = HintsSpec.model_construct()
    """One-line summaries for people."""
    bounded: BoundedSpec | None = None
    """The result is one page of a paginated list."""
    server_data: dict[Word, Schema] = {}
    """The schema of typed data besides the result, never sent to a model."""
    reminder: str = ""
    """Text sent to the model with the result."""


ONLY_FOR: Final = {
    name: mark.kinds
    for name, key in ToolSpec.model_fields.items()
    for mark in key.metadata
    if isinstance(mark, OnlyFor)
}
"""The keys of a tool that only some kinds of toolsets have, and those kinds."""


class MethodSpec(Spec):
    """A method of the service that tools bind to."""

    payload: Schema = None
    """The schema of what the method takes. Default: any JSON."""
    result: Schema = None
    """The schema of what it returns. Default: any JSON."""


class MethodReference(Spec):
    """A reference to a method of another file."""

    ref: Annotated[str, Field(alias="$ref"), NameOf("reference")]
    """The method, such as `other.yaml#/methods/Name`."""


class ServerSpec(Spec):
    """How to connect to an MCP server."""

    http: NonEmpty | None = None
    """The URL of a server of streamable HTTP."""
    sse: NonEmpty | None = None
    """The URL of a server of HTTP with server-sent events."""
    stdio: Annotated[list[NonEmpty], Field(min_length=1)] | None = None
    """The program that is started as the server, with its arguments."""
    headers: dict[NonEmpty, str] = {}
    """HTTP headers; `$env.NAME` in a value, a URL or an argument is the value of an environment variable."""
    env: list[VariableName] = []
    """The environment variables that the program gets."""
    retries: NonNegative = 2
    """How often a call is repeated, if it was never sent, or is of a tool that may run twice."""
    on_drift: Literal["refuse", "ask", "warn"] = "refuse"
    """What happens to a call of a tool that the server changed since it was imported."""


class ImportSpec(Spec):
    """Where the tools come from, for the next import. A toolset of kind mcp has a `server` instead, or a file."""

    openapi: NonEmpty | None = None
    """The description of the API: a URL, or a file, relative to the project."""
    python: list[NonEmpty] = []
    """The functions, classes, objects and modules, as `module` or `module:name`."""
    mcp: NonEmpty | None = None
    """A file with the server's answer to `tools/list`, relative to the project."""
    include: list[NonEmpty] = []
    """Patterns of operations to import, such as `tag:orders`. Default: all (openapi)."""
    exclude: list[NonEmpty] = []
    """Patterns of operations to leave out (openapi)."""


class ToolsetFile(SpecFileHead):
    """A toolset: tools of one kind."""

    toolset: DottedName
    """The prefix of the idents of its tools."""
    kind: Literal["service", "agent", "mcp", "command", "http"] = "service"
    """What kind of executor runs the tools."""
    description: str = ""
    """The purpose of its tools."""
    import_: Annotated[ImportSpec | None, Field(alias="import")] = None
    """Where the tools were imported from, and which of them."""
    dialect: Dialect = "2020-12"
    """The JSON Schema draft of schemas without `$schema`."""
    types: dict[TypeName, Schema] = {}
    """Named schemas."""
    methods: dict[Word, MethodSpec | MethodReference] = {}
    """Methods of the service that tools bind to."""
    server: ServerSpec | None = None
    """How to connect to the MCP server; the host may override it."""
    api: ApiSpec | None = None
    """The HTTP API (http)."""
    tags: dict[Word, Text] = {}
    """Maps tags of its tools, besides the built-in ones and those of shared files, to their meaning."""
    defaults: ToolDefaultsSpec = ToolDefaultsSpec.model_construct()
    """Default tool keys for every tool of this file."""
    tools: dict[ToolKey, ToolSpec]
    """The tools by key; an ident is the toolset, a dot and the key."""
    source: dict[NonEmpty, Any] = {}
    """What the source says where this file says something else, by JSON pointer. Written by imports."""
    kept: dict[NonEmpty, Any] = {}
    """What people wrote about parts of types that the source no longer has, by JSON pointer. Written by imports."""
    imported: dict[NonEmpty, str] = {}
    """Fingerprints of what the last import wrote: by them the next one sees what people changed. Written by imports."""
