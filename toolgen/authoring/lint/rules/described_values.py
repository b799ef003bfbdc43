"""Rules on descriptions that say what a schema should: values, bounds, defaults, units and forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.lint.registry import Finding, tool_rule
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, SchemaPart

_QUOTED: Final = r"(?:`[\w.-]{1,30}`|'[\w.-]{1,30}'|\"[\w.-]{1,30}\")"
_BETWEEN: Final = r"(?:\s*,\s*(?:or |and )?|\s+or\s+|\s*\|\s*|\s*/\s*)"
_VALUES: Final = re.compile(
    r"(?:\b(?:one of|either|must be|can be|allowed values?|possible values?|valid values?|accepted values?|options?)\b"
    rf"(?: are| is| include)?[:\s(\[]*)(?P<quoted>{_QUOTED}(?:{_BETWEEN}{_QUOTED})+)"
    r"|(?:\b(?:one of|allowed values?|possible values?|valid values?|accepted values?)\b(?: are| is)?\s*[:(\[]\s*)"
    r"(?P<plain>[\w-]{1,30}(?:\s*[,|/]\s*[\w-]{1,30})+(?:,?\s+(?:or|and)\s+[\w-]{1,30})?)(?=[\s).\]]|$)",
    re.IGNORECASE,
)
_EXAMPLES: Final = re.compile(r"\b(?:e\.?g\.?|for example|such as|etc)\b|\.\.\.|…", re.IGNORECASE)
_NUMBER: Final = r"-?\d[\d.,]*(?<![.,])"
_BOUND: Final = re.compile(
    rf"\b(?:between\s+{_NUMBER}\s+and\s+{_NUMBER}|from\s+{_NUMBER}\s+to\s+{_NUMBER}|at (?:most|least)\s+{_NUMBER}"
    rf"|(?:max(?:imum)?|min(?:imum)?)(?: value)?(?: is| of|:|=)?\s+{_NUMBER}|no more than\s+{_NUMBER}|up to\s+{_NUMBER}"
    r"|must be (?:positive|non-negative|greater|less|at least|at most))",
    re.IGNORECASE,
)
_DEFAULT: Final = re.compile(
    r"\b(?:defaults? (?:to|is|value(?: is)?:?|:)|default[:=]|by default[,:]?)\s*"
    r"(?P<value>`[^`\s]{1,40}`|'[^'\s]{1,40}'|\"[^\"\s]{1,40}\"|-?\d+(?:\.\d+)?\b|true\b|false\b)",
    re.IGNORECASE,
)
_OPTIONAL: Final = re.compile(r"^\W*optional\b|\(optional\)|\boptional\.?$", re.IGNORECASE)
_REQUIRED: Final = re.compile(r"^\W*required\s*(?:[.:;,)\]-]|$)|\(required\)", re.IGNORECASE)
_UNITS: Final = frozenset(
    """ms s sec secs second seconds millisecond milliseconds us ns minute minutes min mins hour hours hr hrs day days
    week weeks month months year years byte bytes kb mb gb tb kib mib gib bit bits char chars character characters token
    tokens pixel pixels px percent percentage pct meter meters metre metres m km cm mm mile miles foot feet ft inch
    inches gram grams g kg pound pounds lb lbs ounce ounces oz celsius fahrenheit kelvin degree degrees count number
    epoch unix iso ratio fraction hz khz mhz ghz bps kbps mbps page pages line lines row rows item items word words
    retries attempts times steps liter liters ml unit units volt volts watt watts amp amps joule joules pascal psi bar
    knots mph kph kmh""".split()
)
_MEASURES: Final = frozenset(
    """timeout delay duration interval ttl lifetime width height distance radius mass temperature speed velocity
    bandwidth""".split()
)
_DURATIONS: Final = frozenset(["timeout", "delay", "duration", "interval", "ttl", "lifetime"])
"""Measures whose unit is a part of their names by custom."""

_SYMBOLS: Final = re.compile(r"[%°$€£²³]|\b\d+\s?(?:ms|s|m|h|d|kb|mb|gb)\b|/\s?s\b")
_MOMENT: Final = re.compile(
    r"(?:^|_)(?:date|datetime|timestamp|deadline|birthday|dob)$|_(?:at|date|on)$|(?<=[a-z])(?:At|Date)$"
)
_FORM: Final = re.compile(
    r"\d{4}|y{4}|iso|rfc|utc|unix|epoch|format|hh:|mm[/-]|dd[/-]|e\.g\.|example|such as|for instance|today|tomorrow|%Y",
    re.IGNORECASE,
)
_TEXTUAL: Final = ("enum", "const", "format", "pattern", "examples", "default")


def _at(part: SchemaPart) -> Any:
    where = part.field / "description"
    return where if where.exists else part.field.of_key


@tool_rule(
    "TL121",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {state: {type: string, description: "Which orders: one of 'open', 'paid' or 'sent'."}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {state: {enum: [open, paid, sent], description: Which orders to look at.}}
            permission: readonly
    """,
)
def enum_in_prose(tool: LintedTool) -> Iterator[Finding]:
    """The description of a text parameter lists its values, and the schema does not.

    A model may send any text, and the tool is left to refuse it. With `enum` the provider or the runtime checks it. A
    list of examples (`e.g.`, `such as`) is not reported.
    """
    for part in tool.fields:
        found = _VALUES.search(part.description)
        if found and part.is_a("string") and not _has(part, "enum", "const", "pattern"):
            listed = found["quoted"] or found["plain"]
            around = part.description[max(0, found.start() - 25) : found.end() + 12]
            if not _EXAMPLES.search(around):
                message = f"the description of `{part.name}` of `{tool.tool.ident}` lists its values: {listed[:60]}"
                yield Finding(_at(part), message, "list them in `enum`")


@tool_rule(
    "TL122",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {count: {type: integer, description: "How many to return, between 1 and 50."}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {count: {type: integer, minimum: 1, maximum: 50, description: How many to return.}}
            permission: readonly
    """,
)
def bound_in_prose(tool: LintedTool) -> Iterator[Finding]:
    """The description of a number says its bounds, and the schema does not: no `minimum`, `maximum` or `enum`."""
    bounds = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum", "const", "multipleOf")
    for part in tool.fields:
        if part.is_a("integer", "number") and not _has(part, *bounds) and (found := _BOUND.search(part.description)):
            message = f"the description of `{part.name}` of `{tool.tool.ident}` has a bound: `{found[0]}`"
            yield Finding(_at(part), message, "write `minimum` and `maximum`")


@tool_rule(
    "TL123",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {"count?": {type: integer, description: How many to return; defaults to 20.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {count: {type: integer, default: 20, description: How many to return.}}
            permission: readonly
    """,
)
def default_in_prose(tool: LintedTool) -> Iterator[Finding]:
    """The description says a default, and the schema has none.

    With `default` it is in the generated types and the docs, and a call that leaves the field out has it.
    """
    for part in tool.fields:
        found = _DEFAULT.search(part.description)
        if found and not part.required and not _has(part, "default"):
            message = f"the description of `{part.name}` of `{tool.tool.ident}` has a default: {found['value']}"
            yield Finding(_at(part), message, "write `default`")


@tool_rule(
    "TL124",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {state: {enum: [open, paid], description: (Optional) Which orders to look at.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {"state?": {enum: [open, paid], description: Which orders to look at.}}
            permission: readonly
    """,
)
def contradicted_requirement(tool: LintedTool) -> Iterator[Finding]:
    """A description says "optional" of a required parameter, or "required" of an optional one.

    The schema decides, and a model that believes the text makes calls that are refused.
    """
    for part in tool.fields:
        says = _OPTIONAL if part.required else _REQUIRED
        if says.search(part.description) and not _has(part, "default"):
            is_, told = ("required", "optional") if part.required else ("optional", "required")
            message = f"`{part.name}` of `{tool.tool.ident}` is {is_}, and its description says {told}"
            yield Finding(_at(part), message, "change the schema or the text")


@tool_rule(
    "TL125",
    bad="""
        toolset: shop
        tools:
          wait:
            description: Wait until an order was paid.
            args: {timeout: {type: integer, description: How long to wait.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          wait:
            description: Wait until an order was paid.
            args: {timeout: {type: integer, description: "How long to wait, in seconds."}}
            permission: readonly
    """,
)
def unit_in_doubt(tool: LintedTool) -> Iterator[Finding]:
    """A number is a duration, a size or another measure, and neither its name nor a description has the unit."""
    for part in tool.fields:
        named = [word.lower() for word in words(part.name)]
        if not named or named[-1] not in _MEASURES or not part.is_a("integer", "number") or _has(part, "enum", "const"):
            continue
        told = {word.lower() for word in words(f"{part.name} {part.description} {tool.tool.description}")}
        if not told & _UNITS and not _SYMBOLS.search(f"{part.description} {tool.tool.description}"):
            message = f"`{part.name}` of `{tool.tool.ident}` has no unit"
            renamed = f", or name it `{part.name}_seconds`" if named[-1] in _DURATIONS else ""
            yield Finding(part.field.of_key, message, f"write it in the description{renamed}")


@tool_rule(
    "TL126",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {start_date: {type: string, description: The first day to look at.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {start_date: {type: string, format: date, description: The first day to look at.}}
            permission: readonly
    """,
)
def date_without_form(tool: LintedTool) -> Iterator[Finding]:
    """A text is a date or a time, and neither the schema nor the description says in which form."""
    for part in tool.fields:
        is_open = _MOMENT.search(part.name) and not _has(part, *_TEXTUAL) and not _FORM.search(part.description)
        if is_open and part.is_a("string"):
            message = f"the form of `{part.name}` of `{tool.tool.ident}` is not known"
            help_ = "write `format: date` or `format: date-time`, or an example in the description"
            yield Finding(part.field.of_key, message, help_)


def _has(part: SchemaPart, *keywords: str) -> bool:
    """Whether a schema, or an alternative of it, has one of these keywords."""
    inner = [each for key in ("anyOf", "oneOf", "allOf") for each in part.schema.get(key, ())]
    return any(isinstance(each, dict) and not each.keys().isdisjoint(keywords) for each in (part.schema, *inner))
