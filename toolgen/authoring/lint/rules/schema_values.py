"""Rules on the values that schemas name: enums, examples, defaults, patterns and types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolgen.authoring.lint.registry import Finding, tool_rule
from toolgen.authoring.lint.text_fixes import replaced, without_items
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, SchemaPart


@tool_rule(
    "TL207",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {state: {enum: [open, Open, paid], description: Which orders to look at.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {state: {enum: [open, paid], description: Which orders to look at.}}
            permission: readonly
    """,
)
def alike_enum_values(tool: LintedTool) -> Iterator[Finding]:
    """Two values of an `enum` differ in case or blanks alone, or are the same. The fix removes repeated ones."""
    for part in tool.args:
        listed = part.schema.get("enum")
        values: list[Any] = listed if isinstance(listed, list) else []
        texts = [value for value in values if isinstance(value, str)]
        plain = [" ".join(text.lower().split()) for text in texts]
        first = {text: index for index, text in reversed([*enumerate(plain)])}
        twice = [text for index, text in enumerate(texts) if first[plain[index]] != index]
        if twice:
            place = part.place / "enum"
            known = dict[bytes, int]()  # by text: in Python, `1` equals `true`
            same = {index for index, value in enumerate(values) if known.setdefault(canonical(value), index) != index}
            fix = without_items(place, same, "Remove the repeated values") if same else None
            message = f"the values of `{part.owner}` of `{tool.tool.ident}` are alike: `{twice[0]}`"
            yield Finding(place, message, "keep one of them", fix=fix)


@tool_rule(
    "TL208",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {archived: {enum: ["true", "false"], description: Includes archived orders.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {archived: {type: boolean, description: Includes archived orders.}}
            permission: readonly
    """,
)
def boolean_as_text(tool: LintedTool) -> Iterator[Finding]:
    """A text arg has the values `true` and `false`, or `yes` and `no`: it is a boolean."""
    for part in tool.fields:
        values = part.schema.get("enum")
        plain = sorted(str(value).lower() for value in values) if isinstance(values, list) else []
        is_text = all(isinstance(value, str) for value in values or ())
        if is_text and plain in (["false", "true"], ["no", "yes"], ["off", "on"]):
            yield Finding(part.place / "enum", f"{tool.name_of(part)} is a boolean as text", "write `type: boolean`")


@tool_rule(
    "TL209",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {ref: {type: integer, examples: [A-17], description: The number on the invoice.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {ref: {type: integer, examples: [17], description: The number on the invoice.}}
            permission: readonly
    """,
)
def invalid_example(tool: LintedTool) -> Iterator[Finding]:
    """An example in a schema (`examples`) does not fit it.

    Models imitate examples, and the call is then refused. A tool's own `examples`, and defaults, are checked by every
    build (`TG209`, `TG208`).
    """
    for part in [*tool.args, *tool.result]:
        examples = part.schema.get("examples")
        for index, value in enumerate(examples if isinstance(examples, list) else ()):
            if reason := _misfit(part, value, tool, formats=False):
                message = f"an example of `{part.owner}` of `{tool.tool.ident}` does not fit: {reason}"
                yield Finding(part.place / "examples" / index, message, "correct it, or remove it")


@tool_rule(
    "TL210",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {since: {type: string, format: date, default: yesterday, description: The first day.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {since: {type: string, format: date, default: 2025-01-01, description: The first day.}}
            permission: readonly
    """,
)
def default_breaks_format(tool: LintedTool) -> Iterator[Finding]:
    """A default or an example does not have the `format` of its schema.

    A build checks formats only where the target says so; models and people take the example at its word.
    """
    for part in tool.args:
        if "format" not in part.schema:
            continue
        values: list[tuple[str | int, ...]] = [("default",)] if "default" in part.schema else []
        listed = part.schema.get("examples")
        values += [("examples", index) for index in range(len(listed) if isinstance(listed, list) else 0)]
        for path in values:
            value: Any = part.schema
            for step in path:
                value = value[step]
            if not _misfit(part, value, tool, formats=False) and _misfit(part, value, tool, formats=True):
                place = part.place
                for step in path:
                    place /= step
                kind = part.schema["format"]
                yield Finding(place, f"{value!r:.60} of {tool.name_of(part)} is not a `{kind}`", "correct it")


@tool_rule(
    "TL211",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              type: object
              properties: {count: {type: integer, default: 20, description: How many to return.}}
              required: [count]
              additionalProperties: false
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              type: object
              properties: {count: {type: integer, default: 20, description: How many to return.}}
              additionalProperties: false
            permission: readonly
    """,
)
def required_with_default(tool: LintedTool) -> Iterator[Finding]:
    """A required arg has a default, which is never used: a call without it is refused."""
    for part in tool.fields:
        if part.required and "default" in part.schema and part.depth > 0:
            help_ = "remove it from `required`, or remove the default"
            yield Finding(part.place / "default", f"{tool.name_of(part)} is required, so its default has no use", help_)


@tool_rule(
    "TL214",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {city: {type: [string], description: Where the customer lives.}}
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
def type_list_of_one(tool: LintedTool) -> Iterator[Finding]:
    """`type` is a list of one type, which some providers refuse. The fix writes the type alone."""
    for part in [*tool.args, *tool.result]:
        kinds = part.schema.get("type")
        place = part.place / "type"
        if isinstance(kinds, list) and len(kinds) == 1 and place.exists:
            message = f"the `type` of `{part.owner or 'items'}` of `{tool.tool.ident}` is a list of one"
            yield Finding(
                place,
                message,
                f"write `{kinds[0]}`",
                fix=replaced(place, kinds[0], "Write the type without the list"),
            )


@tool_rule(
    "TL216",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {ref: {type: string, pattern: "[A-Z]-[0-9]+", description: The number on the invoice.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {ref: {type: string, pattern: "^[A-Z]-[0-9]+$", description: The number on the invoice.}}
            permission: readonly
    """,
)
def loose_pattern(tool: LintedTool) -> Iterator[Finding]:
    """A `pattern` has neither `^` nor `$`: it accepts any text that contains a match, which is seldom meant."""
    for part in tool.args:
        pattern = part.schema.get("pattern")
        if isinstance(pattern, str) and not re.search(r"\^|\$|\\[Abz]", pattern):
            message = f"the pattern of `{part.owner}` of `{tool.tool.ident}` accepts any text around its match"
            yield Finding(part.place / "pattern", message, "write `^…$`")


def _misfit(part: SchemaPart, value: Any, tool: LintedTool, *, formats: bool) -> str:
    """Return why a value does not fit a part that stands alone; empty if it fits, or cannot be checked alone."""
    import jsonschema_rs

    if "$ref" in str(part.schema):
        return ""
    schema = {
        "$schema": tool.tool.args.json.get("$schema", "https://json-schema.org/draft/2020-12/schema"),
        **part.schema,
    }
    try:
        validator = jsonschema_rs.validator_for(schema, validate_formats=formats, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        return ""
    return next((error.message[:200] for error in validator.iter_errors(value)), "")
