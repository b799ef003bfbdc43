"""Schema dialects: the subset of JSON Schema that each API accepts for args, as data, with sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The dialect of an API that does not enforce schemas.

    `refused_at_root` are keywords that are not allowed at the root; `keywords` are all that it supports, None for all
    of JSON Schema. `argument` is the grammar of the names of args. With `bare_refs`, a `$ref` has no sibling keywords,
    and refers to a definition that contains itself only through optional fields; with `any_for_one`, `oneOf` becomes
    `anyOf`, and with `needs_items`, every array has `items`. With `needs_properties`, the root has `properties`,
    possibly empty; with `only_2020_12`, schemas of older drafts are translated.
    """

    is_strict: ClassVar[bool] = False
    refused_at_root: frozenset[str] = frozenset()
    keywords: frozenset[str] | None = None
    argument: re.Pattern[str] | None = None
    bare_refs: bool = False
    any_for_one: bool = False
    needs_items: bool = False
    needs_properties: bool = False
    only_2020_12: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The size limits of a strict mode; None means no limit.

    Those from `tools` on apply to all tools of a request together, the others to each. `limits.Size` defines what they
    count.
    """

    properties: int | None = None
    depth: int | None = None
    enum_values: int | None = None
    text: int | None = None
    enum_text: int | None = None
    tools: int | None = None
    optional: int | None = None
    unions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictDialect:
    """The dialect of an API that enforces schemas: closed objects, plain types, `enum`, `anyOf`, `$ref`.

    `keywords` are those that it supports in addition, by JSON type, and `formats` the supported formats. With
    `all_required` there are no optional fields: absent ones are sent as null. `argument` is the grammar of the names of
    args, `min_items` the largest `minItems`, None for any.
    """

    is_strict: ClassVar[bool] = True
    keywords: Mapping[str, frozenset[str]]
    formats: frozenset[str]
    all_required: bool
    recursion: bool
    bounds: Bounds
    argument: re.Pattern[str] | None = None
    min_items: int | None = None

    def knows(self, kind: str, keyword: str, value: Any) -> bool:
        """Whether a keyword of a schema of one JSON type is supported."""
        if keyword not in self.keywords.get(kind, ()):
            return False
        if keyword == "format":
            return value in self.formats
        if keyword == "pattern":
            return isinstance(value, str) and _PLAIN_PATTERN.fullmatch(value) is not None
        if keyword == "minItems" and self.min_items is not None:
            return value in range(self.min_items + 1)
        return not isinstance(value, bool)  # in draft 04, `exclusiveMinimum` is a boolean


_PLAIN_PATTERN: Final = re.compile(r"(?:[^\\(]|\\[^1-9]|\((?!\?)|\(\?:)*", re.DOTALL)
"""A pattern without lookaround and backreferences, which linear-time engines do not support."""

CLAUDE_ARGUMENT: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

OPENAI_MAX_TOOLS: Final = 128
"""How many tools a request may have. From OpenAI's error message:
`Invalid 'tools': array too long. Expected an array with maximum length 128`."""

OPENAI: Final = Dialect(
    refused_at_root=frozenset({"oneOf", "anyOf", "allOf", "enum", "const", "not"}),
    needs_items=True,
    needs_properties=True,
)
"""OpenAI, not strict. From its error messages: the root must be of type `object`, without these keywords; `array schema
missing items`; `object schema missing properties`."""

CLAUDE: Final = Dialect(
    refused_at_root=frozenset({"oneOf", "anyOf", "allOf"}), argument=CLAUDE_ARGUMENT, only_2020_12=True
)
"""Anthropic, not strict, and Bedrock, which passes schemas on to it. From its error messages:
`input_schema does not support oneOf, allOf, or anyOf at the top level`, and keys of the root's properties match
`^[a-zA-Z0-9_.-]{1,64}$`; `It must match JSON Schema draft 2020-12`."""

GEMINI: Final = Dialect(
    keywords=frozenset({
        "$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems",
        "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties",
        "required", "propertyOrdering",
    }),
    bare_refs=True,
    any_for_one=True,
    only_2020_12=True,
)  # fmt: skip
"""Gemini: what the reference of google-genai lists for JSON Schema (`GenerateContentConfig.response_json_schema`), of
which `FunctionDeclaration.parametersJsonSchema` is another use. `oneOf` is treated as `anyOf`."""

MCP: Final = Dialect()
"""MCP: `inputSchema` is any JSON Schema with a root of type `object` (revision 2025-06-18 and later)."""

_NUMBER: Final = frozenset({"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"})

OPENAI_STRICT: Final = StrictDialect(
    keywords={
        "string": frozenset({"pattern", "format"}),
        "number": _NUMBER,
        "integer": _NUMBER,
        "array": frozenset({"minItems", "maxItems"}),
    },
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    all_required=True,
    recursion=True,
    bounds=Bounds(properties=5000, depth=10, enum_values=1000, text=120_000, enum_text=15_000),
)
"""OpenAI, strict: its guide to structured outputs, "Supported schemas"
(https://developers.openai.com/api/docs/guides/structured-outputs)."""

CLAUDE_STRICT: Final = StrictDialect(
    keywords={"string": frozenset({"format"}), "array": frozenset({"minItems"})},
    formats=frozenset({
        "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
    }),
    all_required=False,
    recursion=False,
    argument=CLAUDE_ARGUMENT,
    min_items=1,
    bounds=Bounds(tools=20, optional=24, unions=16),
)  # fmt: skip
"""Anthropic, strict: its guide to structured outputs, "JSON Schema limitations" and "Schema complexity limits"
(https://platform.claude.com/docs/en/build-with-claude/structured-outputs), and what `transform_schema` of its SDK
keeps."""
