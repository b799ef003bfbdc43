"""Rules on schemas: what a model may send, and what then has to be checked by the tool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.lint.registry import Finding, tool_rule
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool

_COMBINED: Final = ("anyOf", "oneOf", "allOf", "$ref", "not", "if", "const", "enum")
_NEGATIONS: Final = frozenset({"no", "not", "non", "without", "disable", "disabled", "dont", "never"})
_TEXT_BOUNDS: Final = ("maxLength", "enum", "const", "pattern", "format")


def _is_free(schema: Any) -> bool:
    """Whether a schema is that of an object about whose fields nothing is said, not even that any are welcome."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return False
    named = schema.get("properties") or schema.get("patternProperties") or schema.get("propertyNames")
    is_said = "additionalProperties" in schema  # that any field may be given is said, or what their values are
    return not named and not is_said and not any(key in schema for key in _COMBINED)


@tool_rule(
    "TL201",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {filter: {type: object, description: What to look for.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              filter:
                type: object
                properties: {city: {type: string, description: Where the customer lives.}}
                additionalProperties: false
                description: What to look for.
            permission: readonly
    """,
)
def free_form_object(tool: LintedTool) -> Iterator[Finding]:
    """An arg is an object whose fields are not described.

    A model has to invent them, strict modes send it as JSON text, and nothing checks it. Describe its fields, or with
    `additionalProperties` what its values are; `true` says that it is open on purpose.
    """
    for part in tool.fields:
        if _is_free(part.schema):
            help_ = "write its `properties`, or the schema of its values under `additionalProperties`"
            yield Finding(part.field.of_key, f"{tool.name_of(part)} is an object of any form", help_)


@tool_rule(
    "TL202",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {filter: {title: Filter, $comment: Any., description: What to look for.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {filter: {type: string, description: What to look for.}}
            permission: readonly
    """,
)
def untyped_parameter(tool: LintedTool) -> Iterator[Finding]:
    """An arg takes any JSON: its schema has no type."""
    checks = ("type", "properties", "items", "required", "pattern", "minimum", "maximum", "format", *_COMBINED)
    for part in tool.fields:
        if not any(key in part.schema for key in checks):
            yield Finding(part.field.of_key, f"{tool.name_of(part)} takes any JSON", "write its `type`")


@tool_rule(
    "TL203",
    bad="""
        toolset: shop
        tools:
          annotate:
            description: Add a note to an order of this shop.
            args: {note: {type: string, description: The text of the note.}}
    """,
    good="""
        toolset: shop
        tools:
          annotate:
            description: Add a note to an order of this shop.
            args: {note: {type: string, maxLength: 2000, description: The text of the note.}}
    """,
)
def unbounded_text(tool: LintedTool) -> Iterator[Finding]:
    """A text arg of a write tool has no limit: no `maxLength`, `pattern`, `format` or `enum`.

    What a model writes is stored somewhere; a limit keeps a mistake small. Tools named like ones that only read are not
    reported (`TL508`).
    """
    for part in tool.fields:
        if tool.changes_things and part.is_a("string") and not _anywhere(part.schema, _TEXT_BOUNDS):
            yield Finding(
                part.field.of_key, f"{tool.name_of(part)} has no `maxLength`", "write the longest sensible one"
            )


@tool_rule(
    "TL204",
    bad="""
        toolset: shop
        tools:
          archive:
            description: Move orders of this shop to the archive.
            args: {refs: {type: array, items: {type: integer}, description: The numbers on the invoices.}}
    """,
    good="""
        toolset: shop
        tools:
          archive:
            description: Move orders of this shop to the archive.
            args: {refs: {type: array, items: {type: integer}, maxItems: 9, description: The numbers on the invoices.}}
    """,
)
def unbounded_array(tool: LintedTool) -> Iterator[Finding]:
    """An array arg of a write tool has no `maxItems`, so one call may change anything that there is."""
    for part in tool.fields:
        if tool.changes_things and part.is_a("array") and not _anywhere(part.schema, ("maxItems", "enum", "const")):
            yield Finding(
                part.field.of_key, f"{tool.name_of(part)} has no `maxItems`", "write the largest sensible one"
            )


@tool_rule(
    "TL205",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {refs: {type: array, description: The numbers on the invoices.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {refs: {type: array, items: {type: integer}, description: The numbers on the invoices.}}
            permission: readonly
    """,
)
def array_without_items(tool: LintedTool) -> Iterator[Finding]:
    """An array arg has no `items`, so its items are any JSON. OpenAI's API requires them."""
    for part in tool.fields:
        if (
            part.schema.get("type") == "array"
            and not {"items", "prefixItems", "contains", *_COMBINED} & part.schema.keys()
        ):
            yield Finding(part.field.of_key, f"the items of {tool.name_of(part)} are any JSON", "write `items`")


@tool_rule(
    "TL206",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {no_archive: {type: boolean, description: Leaves archived orders out.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {archive: {type: boolean, default: true, description: Includes archived orders.}}
            permission: readonly
    """,
)
def negated_boolean(tool: LintedTool) -> Iterator[Finding]:
    """The name of a boolean is a negation, so `false` means yes.

    Models and people get double negations wrong. Turn the name and its default around.
    """
    for part in tool.fields:
        named = [word.lower() for word in words(part.name)]
        if part.is_a("boolean") and len(named) > 1 and named[0] in _NEGATIONS:
            yield Finding(part.field.of_key, f"{tool.name_of(part)} is negated", "name what `true` turns on")


@tool_rule(
    "TL212",
    bad="""
        toolset: shop
        types:
          A: {b: {c: {d: {e: {f: {type: integer, description: The last of many levels.}}}}}}
        tools:
          find:
            description: Search the orders of a customer.
            args: {a: {$ref: "#/types/A", description: What to look for.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        types:
          A: {b: {type: integer, description: The only one.}}
        tools:
          find:
            description: Search the orders of a customer.
            args: {a: {$ref: "#/types/A", description: What to look for.}}
            permission: readonly
    """,
)
def deep_args(tool: LintedTool) -> Iterator[Finding]:
    """The args of a tool are nested deeper than the threshold, in objects.

    Models lose track of braces and of what belongs where. Flatten them, or split the tool.
    """
    most = tool.threshold("TL212")
    deepest = max(tool.args, key=lambda part: part.depth, default=None)
    if deepest is not None and deepest.depth > most:
        message = f"the args of `{tool.tool.ident}` are {deepest.depth} objects deep, at `{'.'.join(deepest.path)}`"
        yield Finding((tool.place / "args").of_key, message, f"flatten them to {most:g} levels, or split the tool")


@tool_rule(
    "TL213",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              type: object
              additionalProperties: false
              properties: {{{}}}
            permission: readonly
    """.format(", ".join(f"f{number}x: {{type: boolean}}" for number in range(31))),
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {archived: {type: boolean, description: Includes archived orders.}}
            permission: readonly
    """,
)
def many_parameters(tool: LintedTool) -> Iterator[Finding]:
    """A tool has more parameters than the threshold. Split it by what people use together."""
    most = tool.threshold("TL213")
    if len(tool.parameters) > most:
        message = f"`{tool.tool.ident}` has {len(tool.parameters)} parameters"
        yield Finding(tool.key, message, f"split it into tools of up to {most:g}")


@tool_rule(
    "TL215",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              type: object
              properties: {city: {type: string, description: Where the customer lives.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {city: {type: string, description: Where the customer lives.}}
            permission: readonly
    """,
)
def open_args(tool: LintedTool) -> Iterator[Finding]:
    """The args of a tool of your own accept fields that the schema does not name.

    A misspelled optional field is then dropped in silence. The short form is closed; in JSON Schema write
    `additionalProperties: false`. Imported tools are not reported: their source decides.
    """
    schema = tool.tool.args.json
    closing = {
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
    }
    own = tool.toolset.kind.value in ("service", "agent", "command") and not tool.tool.imported
    if own and schema.get("properties") and not closing & schema.keys():
        message = f"the args of `{tool.tool.ident}` accept fields that the schema does not name"
        yield Finding((tool.place / "args").of_key, message, "write `additionalProperties: false`")


@tool_rule(
    "TL217",
    bad="""
        toolset: mcp.shop
        kind: mcp
        server: {http: "https://example.com/mcp"}
        tools:
          find:
            description: Search the orders of a customer.
            args:
              type: object
              properties: {city: {type: string, description: Where the customer lives.}}
              required: [city, town]
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {city: {type: string, description: Where the customer lives.}}
            permission: readonly
    """,
)
def undescribed_required(tool: LintedTool) -> Iterator[Finding]:
    """An object requires a field that is not among its properties, so a model does not know what to send."""
    roots = [(tool.tool.args.json, tool.place / "args")]
    for schema, place in [*roots, *((part.schema, part.place) for part in tool.args)]:
        required, properties = schema.get("required"), schema.get("properties")
        if not isinstance(required, list) or not isinstance(properties, dict) or "allOf" in schema:
            continue
        for name in required:
            if name not in properties and name not in tool.tool.inject:
                message = f"`{name}` is required and not described, in the args of `{tool.tool.ident}`"
                yield Finding(place / "required", message, "describe it under `properties`")


def _anywhere(schema: Any, keywords: tuple[str, ...]) -> bool:
    """Whether a schema, or an alternative of it, has one of these keywords."""
    inner = [each for key in ("anyOf", "oneOf", "allOf") for each in schema.get(key, ())]
    return any(isinstance(each, dict) and not each.keys().isdisjoint(keywords) for each in (schema, *inner))
