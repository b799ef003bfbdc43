"""The parts of a toolset file that describe an HTTP API (kind http)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.compiler.documents.base import Handler, NonEmpty, Spec

ParamLocation = Literal["path", "query", "header", "cookie", "querystring"]
"""Where an arg is sent; `querystring` is the whole query string. Args without a place are fields of the body."""

Style = Literal[
    "simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject", "cookie"
]
"""How values are serialized: the styles of OpenAPI 3.2, and the tab-separated lists of Swagger 2.0."""

Separators = Literal["refuse", "encode", "keep_slash"]
"""What `/`, `\\`, `;`, `?` and `#` in a value of the path do.

Servers decode a path before they route, so an encoded `/` can lead to another operation. `refuse` refuses the call.
`encode` sends them percent-encoded, for an API that routes before it decodes. `keep_slash` sends `/` as it is, for a
value of several segments, and refuses the others. Segments of dots are always refused.
"""

Security = list[list[NonEmpty]]
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
    security: Security | None = None
    """Which `auth` a request uses: the first alternative whose variables are set. Default: each one alone."""
    retries: Annotated[int, Field(ge=0)] = 2
    """How often a request is repeated that was never sent, or may be sent twice."""
    validate_responses: bool = True
    """Whether a 2xx that does not fit the result is a failure. Otherwise it is returned and reported, as in imports."""
    idempotency_header: NonEmpty | None = None
    """A header that gets a random key, the same for each repetition; with it, POST and PATCH are repeated too."""


class ParamSpec(Spec):
    """Where and how an arg is sent."""

    in_: Annotated[ParamLocation, Field(alias="in")]
    """The place."""
    name: NonEmpty | None = None
    """The name in the request. Default: the arg's."""
    style: Style | None = None
    """Default: `simple` in paths and headers, `form` in queries and cookies."""
    explode: bool | None = None
    """Whether items and fields are sent one by one. Default: true for `form`, `cookie` and `deepObject`."""
    allow_reserved: bool = False
    """Whether reserved characters and percent-encoded triples stay as they are (path, query, cookie)."""
    separators: Separators = "refuse"
    """What `/`, `\\`, `;`, `?`, `#` and their encodings in a value do (path). Default: the call is refused."""
    content: NonEmpty | None = None
    """The media type of the value, in place of a style."""


class EncodingSpec(Spec):
    """How a field of a form or multipart body is sent."""

    content_type: NonEmpty | None = None
    """The media type of the field."""
    style: Style | None = None
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
    params: dict[NonEmpty, ParamLocation | ParamSpec] = {}
    """Where args are sent, by arg; the place alone is enough where nothing else differs from its default."""
    body: BodySpec | None = None
    """The body."""
    base_url: NonEmpty | None = None
    """The URL that the path is appended to, if it is not that of the API."""
    security: Security | None = None
    """As in `api`, for this tool; `[]` is no authentication."""
    idempotency_header: NonEmpty | None = None
    """As in `api`, for this tool."""
    errors: dict[NonEmpty, str] = {}
    """What a response means, by status (`404`, `4XX`): the hint of the error."""
