"""Rules on texts: descriptions, which models choose tools and fill in args by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.registry import Finding, rule, tool_rule
from toolgen.authoring.lint.text_fixes import replaced
from toolgen.search.words import words_of

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, Project, SpecPlace

_FILLERS: Final = frozenset(words_of("tool function method call use operation given field value parameter arg"))
_PLACEHOLDER: Final = re.compile(
    r"\W*(?:todo|tbd|tba|fixme|xxx|n/?a|none|null|test|lorem ipsum.*|(?:no |add |missing )?(?:a )?description"
    r"(?: (?:here|goes here|available|provided|missing))?|(?:a |the )?(?:tool|parameter|string|value|placeholder))?\W*",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP: Final = re.compile(
    r"</?(?:p|br|b|i|em|strong|ul|ol|li|a|code|pre|div|span|h[1-6]|table|tr|td)\b[^<>]{0,200}>", re.IGNORECASE
)
_BLANKS: Final = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|(?<=\S)[ \t]{2,}(?=\S)|\A\s+|(?<!\s)\s+\Z|(?<![ \t])[ \t]+(?=\n)"
)
_MANY_WORDS: Final = 2


def _described(tool: LintedTool) -> Iterator[tuple[str, str, SpecPlace]]:
    """Yield each description: what it describes, its text, and its place."""
    yield f"`{tool.tool.ident}`", str((tool.place / "description").node.to_data()), tool.place / "description"
    for part in tool.args:
        where = part.field / "description"
        if part.name and part.description and where.exists:
            yield f"`{part.name}` of `{tool.tool.ident}`", str(where.node.to_data()), where


@tool_rule(
    "TL101",
    bad="""
        toolset: shop
        tools:
          find: {description: Search the orders of a customer., args: {ref: string}, permission: readonly}
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {ref: {type: string, description: "The number on the invoice, such as `A-1043`."}}
            permission: readonly
    """,
)
def undescribed_parameter(tool: LintedTool) -> Iterator[Finding]:
    """A parameter has no description.

    A model fills in a parameter by its name alone, and guesses its form. Write what it is and what it looks like. A
    parameter with an `enum`, a `const` or a boolean explains itself, and is not reported.
    """
    for part in tool.parameters:
        known = "enum" in part.schema or "const" in part.schema or part.is_a("boolean")
        if not part.description and not known:
            message = f"`{part.name}` of `{tool.tool.ident}` has no description"
            yield Finding(part.field.of_key, message, "write what it is, and what it looks like")


@rule(
    "TL102",
    bad="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          refund_order: {description: Pay back an order of this shop.}
          refund_item: {description: Pay back an order of this shop.}
    """,
    good="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          refund_order: {description: Pay back a whole order of this shop.}
          refund_item: {description: "Pay back one item, and keep the others."}
    """,
)
def duplicate_description(project: Project) -> Iterator[Finding]:
    """Two tools have the same description.

    A model cannot tell them apart, and takes either. Write when to use which.
    """
    seen: dict[str, LintedTool] = {}
    for tool in project.tools:
        text = " ".join(tool.tool.description.lower().split())
        first = seen.setdefault(text, tool)
        if first is not tool:
            message = f"`{tool.tool.ident}` has the description of `{first.tool.ident}`"
            related = ((first.place / "description", "the same text"),)
            yield Finding(tool.place / "description", message, "write when to use which", related)


@tool_rule(
    "TL103",
    bad="""
        toolset: shop
        tools:
          refund_order: {description: Refunds the order.}
    """,
    good="""
        toolset: shop
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
    """,
)
def description_restates_name(tool: LintedTool) -> Iterator[Finding]:
    """The description of a tool only repeats its name.

    It costs tokens and says nothing new. Write what the tool is for, what it needs, and what it returns.
    """
    told = set(words_of(tool.tool.description)) - _FILLERS
    named = {*words_of(tool.tool.key), *words_of(tool.toolset.name), *words_of(tool.tool.title)}
    if told and told <= named:
        message = f"the description of `{tool.tool.ident}` only repeats its name"
        yield Finding(tool.place / "description", message, "write what it is for, and what it returns")


@tool_rule(
    "TL104",
    bad="""
        toolset: shop
        tools:
          refund_order: {description: Money back.}
    """,
    good="""
        toolset: shop
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
    """,
)
def terse_description(tool: LintedTool) -> Iterator[Finding]:
    """The description of a tool has one word or two.

    Among many tools it does not tell when this one is right. Texts of scripts without spaces between words are judged
    by their length.
    """
    text = tool.tool.description
    words = text.split() if text.isascii() else list(text)
    if len(words) <= _MANY_WORDS and not _PLACEHOLDER.fullmatch(text):
        message = f"the description of `{tool.tool.ident}` is too short to choose it by"
        yield Finding(tool.place / "description", message, "write a sentence on what it does")


@tool_rule(
    "TL105",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {order_id: {type: string, description: The order id.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args: {order_id: {type: string, description: "The number on the invoice, such as `A-1043`."}}
            permission: readonly
    """,
)
def parameter_restates_name(tool: LintedTool) -> Iterator[Finding]:
    """The description of a parameter only repeats its name.

    Write its form, its unit or an example: what a model cannot read from the name.
    """
    for part in tool.parameters:
        told = set(words_of(part.description)) - _FILLERS
        if told and told <= set(words_of(part.name)):
            message = f"the description of `{part.name}` of `{tool.tool.ident}` only repeats its name"
            yield Finding(part.field / "description", message, "write its form, its unit or an example")


@tool_rule(
    "TL106",
    bad="""
        toolset: shop
        tools:
          refund_order: {description: TODO}
    """,
    good="""
        toolset: shop
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
    """,
)
def placeholder_description(tool: LintedTool) -> Iterator[Finding]:
    """A description is a placeholder, such as `TODO` or `No description available`."""
    for what, text, place in _described(tool):
        if _PLACEHOLDER.fullmatch(text):
            yield Finding(place, f"the description of {what} is a placeholder", "write what it is for")


@tool_rule(
    "TL108",
    bad="""
        toolset: shop
        tools:
          refund_order:
            description: >-
              Pay an order back to the card that it was paid with, unless the order is older than ninety days, in which
              case a voucher is sent to the address of the customer instead, or it was paid by invoice, in which case
              the amount is transferred to the account that the invoice was paid from, as far as that is known, and is
              put on the customer's balance otherwise, where it stays until it is used for another order.
    """,
    good="""
        toolset: shop
        tools:
          refund_order:
            description: |
              Pay an order back to the card that it was paid with.
              An order older than ninety days gives a voucher; one paid by invoice is transferred.
    """,
)
def long_first_line(tool: LintedTool) -> Iterator[Finding]:
    """The first line of a description is longer than the threshold, in characters.

    It is the short description, which lists of actions and search results show alone. Put one sentence on the first
    line, and the rest below.
    """
    most = tool.threshold("TL108")
    first = tool.tool.description.split("\n", 1)[0]
    if len(first) > most:
        message = f"the first line of the description of `{tool.tool.ident}` has {len(first):,} characters"
        yield Finding(tool.place / "description", message, f"put one sentence of up to {most:g} on the first line")


@tool_rule(
    "TL109",
    bad="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              since: {type: string, format: date, description: "The first day, as 2025-01-31."}
              until: {type: string, format: date, description: "The first day, as 2025-01-31."}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find:
            description: Search the orders of a customer.
            args:
              since: {type: string, format: date, description: "The first day, as 2025-01-31."}
              until: {type: string, format: date, description: "The last day, as 2025-01-31."}
            permission: readonly
    """,
)
def duplicate_parameter_description(tool: LintedTool) -> Iterator[Finding]:
    """Two parameters of a tool have the same description, which is usually a copy that was not changed."""
    seen: dict[str, str] = {}
    for part in tool.parameters:
        text = " ".join(part.description.lower().split())
        first = seen.setdefault(text, part.name) if text else part.name
        if first != part.name and (part.field / "description").exists:
            message = f"`{part.name}` of `{tool.tool.ident}` has the description of `{first}`"
            yield Finding(part.field / "description", message, "write how they differ")


@tool_rule(
    "TL110",
    bad="""
        toolset: shop
        tools:
          refund_order:
            description: Pay an order back to the card.<br/>The customer gets a <b>mail</b>.
    """,
    good="""
        toolset: shop
        tools:
          refund_order:
            description: Pay an order back to the card. The customer gets a mail.
    """,
)
def markup_in_description(tool: LintedTool) -> Iterator[Finding]:
    """A description has HTML tags, which cost tokens and say nothing to a model.

    It is often left over from API documentation.
    """
    for what, text, place in _described(tool):
        if found := _MARKUP.search(text):
            yield Finding(place, f"the description of {what} has HTML: `{found[0][:40]}`", "write plain text")


@tool_rule(
    "TL111",
    bad="""
        toolset: shop
        tools:
          refund_order: {description: "Pay an order back   to the card. "}
    """,
    good="""
        toolset: shop
        tools:
          refund_order: {description: Pay an order back to the card.}
    """,
)
def stray_blanks(tool: LintedTool) -> Iterator[Finding]:
    """A text on one line has blanks at its start or end, or several in a row, outside of code in backticks.

    The fix removes them.
    """
    for what, text, place in _described(tool):
        if "\n" not in text.strip() and (clean := _BLANKS.sub(_blank, text)) != text and clean:
            fix = replaced(place, clean, "Remove the blanks")
            yield Finding(place, f"the description of {what} has stray blanks", "remove them", fix=fix)


def _blank(found: re.Match[str]) -> str:
    """Keep code, one blank inside a line, none at its ends, and the line feed that ends a block of text."""
    text = found.string
    if found["ticks"]:
        return found[0]
    if found.end() == len(text):
        return "\n" if "\n" in found[0] else ""
    return " " if found.start() and "\n" not in text[found.end() : found.end() + 1] else ""
