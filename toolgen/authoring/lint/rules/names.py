"""Rules on names: of tools and parameters, each alone and beside the others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolgen.authoring.lint.registry import Finding, rule, tool_rule
from toolgen.search.synonyms import synonyms
from toolgen.search.words import stem, words_of
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, Project, SpecPlace

_VAGUE_WORDS: Final = frozenset(
    """run do go process handle execute perform call use action operation tool function method get set data
    info item object thing stuff util helper manager service api request main default misc general""".split()
)
_VAGUE_PARAMETER: Final = re.compile(
    r"(?:arg|param|parameter|var|variable|val|value|input|field|data|item|thing|foo|bar|x|tmp|temp)s?_?\d+|[a-z]|foo|bar|tmp|stuff",
    re.IGNORECASE,
)
_LETTERS: Final = frozenset("xyzabcnkijmtrpqlwhd")
"""Single letters that mathematics, coordinates and times use as names."""

_ALIKE: Final = 0.9
"""The similarity of two descriptions, by words, from which tools with the same parameters are near duplicates."""

_SHORTEST: Final = 3
"""Letters of words that tell texts apart: shorter ones are articles and prepositions."""

_FEW_WORDS: Final = 4
"""From this many words on, the verb at the start of a description is not what tells tools apart."""

_MOST_COMPARED: Final = 400
"""Tools with the same parameters that are compared with each other: the time is quadratic."""


@rule(
    "TL301",
    bad="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {number: {type: integer, description: "As printed, without dashes."}}
            permission: readonly
          search_order:
            description: Search an order by the number on its invoice.
            args: {number: {type: integer, description: "As printed, without dashes."}}
            permission: readonly
    """,
    good="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {number: {type: integer, description: "As printed, without dashes."}}
            permission: readonly
          find_customer:
            description: Look up who placed an order.
            args: {number: {type: integer, description: "As printed, without dashes."}}
            permission: readonly
    """,
)
def near_duplicate_tools(project: Project) -> Iterator[Finding]:
    """Two tools have the same parameters, and nearly the same description.

    A model cannot choose between them, and pays for both. Remove one, or write when to use which. A word that means
    something else tells them apart: users, and not orders. Equal descriptions are `TL102`.
    """
    groups: dict[tuple[tuple[str, str], ...], list[LintedTool]] = defaultdict(list)
    for tool in project.tools:
        groups[tuple(sorted((each.name, ",".join(each.types)) for each in _parameters(tool)))].append(tool)
    for group in groups.values():
        told = [(tool, words_of(tool.tool.description)) for tool in group[:_MOST_COMPARED]]
        for index, (tool, text) in enumerate(told):
            for other, before in told[:index]:
                if text and tool.tool.description != other.tool.description and _similar(text, before):
                    message = f"`{tool.tool.ident}` is nearly the same as `{other.tool.ident}`"
                    related = ((other.key, "this one"),)
                    yield Finding(tool.key, message, "remove one, or write when to use which", related)
                    break


def _similar(one: list[str], other: list[str]) -> bool:
    """Whether two texts differ in so few words, or in their verb alone, that they do not tell two tools apart."""
    only, others = set(one) - set(other), set(other) - set(one)
    if (only | others) & _OPPOSITES or _tells_apart(only, others):
        return False
    if one[1:] == other[1:] and len(one) >= _FEW_WORDS:
        return True
    shared = len(set(one) & set(other))
    enough = shared * 2 >= (len(set(one)) + len(set(other))) * _ALIKE
    return enough and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _tells_apart(only: set[str], others: set[str]) -> bool:
    """Whether each text has a word of its own that means something else than those of the other: `users`, `orders`."""
    stems, other_stems = ({stem(word) for word in each if len(word) >= _SHORTEST} for each in (only, others))
    same = {word for word in stems if not other_stems.isdisjoint((word, *synonyms().get(word, ())))}
    same |= {word for word in other_stems if not stems.isdisjoint((word, *synonyms().get(word, ())))}
    return bool(stems - same) and bool(other_stems - same)


_OPPOSITES: Final = frozenset(
    words_of(
        """add remove create delete start stop open close enable disable get set list show lock unlock mute unmute first
        last next previous min max minimum maximum up down left right on off read write update insert sine cosine row
        column increase decrease encode decode encrypt decrypt follow unfollow like unlike block unblock upload download
        import export play pause resume subscribe unsubscribe activate deactivate mount unmount attach detach"""
    )
)
"""Words that make a different tool of the same sentence."""


@rule(
    "TL302",
    bad="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {customer: {type: integer, description: Who placed it.}}
            permission: readonly
          list_carts:
            description: List what was put into carts and not bought.
            args: {customer: {type: string, description: Whose carts.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {customer: {type: integer, description: Who placed it.}}
            permission: readonly
          list_carts:
            description: List what was put into carts and not bought.
            args: {customer: {type: integer, description: Whose carts.}}
            permission: readonly
    """,
)
def parameter_types_differ(project: Project) -> Iterator[Finding]:
    """Parameters of one name have different types in tools of one toolset.

    A model takes what it got from one tool, and sends it to the other. Types that differ in `null` alone, an array
    beside its items, and integers beside numbers, are not reported; nor are names such as `value` and `id` that mean
    another thing in each tool. Each name and type is reported once.
    """
    for toolset in project.toolsets:
        seen: dict[str, tuple[str, LintedTool, _Parameter]] = {}
        reported: set[tuple[str, str]] = set()
        for tool in _of(project, toolset.name):
            for part in _parameters(tool):
                kind = "number" if part.types == ("integer",) else "".join(part.types)
                if len(part.types) != 1 or kind in ("array", "object") or part.name.lower() in _ANYTHING:
                    continue
                first, other, there = seen.setdefault(part.name, (kind, tool, part))
                if first != kind and (part.name, kind) not in reported:
                    reported.add((part.name, kind))
                    message = f"`{part.name}` is {_article(kind)} here, and {_article(first)} in `{other.tool.ident}`"
                    related = ((there.field.of_key, f"here it is {_article(first)}"),)
                    yield Finding(part.field.of_key, message, "use one type, or another name", related)


_ANYTHING: Final = frozenset(
    {"value", "data", "input", "id", "default", "key", "format", "size", "type", "text", "number"}
)


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aio' else 'a'} {kind}"


def _of(project: Project, toolset: str) -> list[LintedTool]:
    return [tool for tool in project.tools if tool.toolset.name == toolset]


class _Parameter(NamedTuple):
    """What is compared of a parameter with those of other tools."""

    name: str
    types: tuple[str, ...]
    field: SpecPlace


def _parameters(tool: LintedTool) -> list[_Parameter]:
    return tool.project.once(_parameters_of)[tool.tool.ident]


def _parameters_of(project: Project) -> dict[str, list[_Parameter]]:
    def rows(tool: LintedTool) -> list[tuple[str, Sequence[str], Any]]:
        return [(part.name, part.types, part.field.to_json()) for part in tool.parameters]

    found = project.of_each_tool("parameters", rows, digest=attrgetter("spec_digest"))
    return {
        ident: [_Parameter(name, tuple(types), project.place_at(field)) for name, types, field in parameters]
        for ident, parameters in found.items()
    }


@rule(
    "TL303",
    bad="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {customer_number: {type: integer, description: Who placed it.}}
            permission: readonly
          list_carts:
            description: List what was put into carts and not bought.
            args: {customerNumber: {type: integer, description: Whose carts.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {customer_number: {type: integer, description: Who placed it.}}
            permission: readonly
          list_carts:
            description: List what was put into carts and not bought.
            args: {customer_number: {type: integer, description: Whose carts.}}
            permission: readonly
    """,
)
def parameter_spelling_differs(project: Project) -> Iterator[Finding]:
    """A parameter is spelled in two ways in one toolset, such as `orderId` and `order_id`.

    A model that saw one sends it to the other tool, where it is refused. Each spelling is reported once.
    """
    for toolset in project.toolsets:
        seen: dict[str, tuple[str, LintedTool, _Parameter]] = {}
        reported: set[str] = set()
        for tool in _of(project, toolset.name):
            for part in _parameters(tool):
                plain = re.sub(r"[-_. ]", "", part.name).lower()
                name, other, there = seen.setdefault(plain, (part.name, tool, part))
                if name != part.name and plain and part.name not in reported:
                    reported.add(part.name)
                    message = f"`{part.name}` is spelled `{name}` in `{other.tool.ident}`"
                    related = ((there.field.of_key, "the other spelling"),)
                    yield Finding(part.field.of_key, message, "use one spelling", related)


@rule(
    "TL304",
    bad="""
        toolset: shop
        description: Orders and carts of the shop.
        tools:
          find_order: {description: Find an order by the number on its invoice., permission: readonly}
          list_carts: {description: List what was put into carts and not bought., permission: readonly}
          payInvoice: {description: Transfer the amount of an invoice.}
    """,
    good="""
        toolset: shop
        description: Orders and carts of the shop.
        tools:
          find_order: {description: Find an order by the number on its invoice., permission: readonly}
          list_carts: {description: List what was put into carts and not bought., permission: readonly}
          pay_invoice: {description: Transfer the amount of an invoice.}
    """,
)
def mixed_tool_names(project: Project) -> Iterator[Finding]:
    """The tools of a toolset are named in several styles: `find_order` beside `findOrder` or `find-order`.

    Reported at those in the less common style. A source that is imported decides itself, and is not reported.
    """
    for toolset in project.toolsets:
        styles: dict[str, list[LintedTool]] = defaultdict(list)
        for tool in _of(project, toolset.name):
            if not tool.tool.remote and (style := _style(tool.tool.key)):
                styles[style].append(tool)
        common = max(styles, key=lambda style: len(styles[style]), default="")
        for style, tools in styles.items():
            for tool in tools if style != common else ():
                message = f"`{tool.tool.key}` is in {style}, and {len(styles[common])} tools beside it in {common}"
                yield Finding(tool.key, message, f"use {common}")


def _style(name: str) -> str:
    """Return the style of a name of several words; empty for one that fits any."""
    if "_" in name.strip("_"):
        return "snake_case" if name == name.lower() else ""
    if "-" in name:
        return "kebab-case"
    return "camelCase" if re.search(r"[a-z][A-Z]", name) else ""


@rule(
    "TL305",
    bad="""
        toolset: shop.orders
        description: Orders of the shop.
        tools:
          orders_find: {description: Find one by the number on its invoice., permission: readonly}
          orders_list: {description: List those that are not paid., permission: readonly}
    """,
    good="""
        toolset: shop.orders
        description: Orders of the shop.
        tools:
          find: {description: Find one by the number on its invoice., permission: readonly}
          list_unpaid: {description: List those that are not paid., permission: readonly}
    """,
)
def repeated_prefix(project: Project) -> Iterator[Finding]:
    """Every tool of a toolset starts with the toolset's name, which models see twice: `orders__orders_find`.

    Imported names belong to their source, and are not reported.
    """
    for toolset in project.toolsets:
        last = toolset.name.rpartition(".")[2].lower()
        tools = _of(project, toolset.name)
        if len(tools) > 1 and all(
            not tool.tool.remote
            and not tool.tool.wire_name
            and tool.tool.key.lower().startswith((f"{last}_", f"{last}-"))
            for tool in tools
        ):
            message = f"every tool of `{toolset.name}` starts with `{last}`"
            yield Finding(project.place(toolset, "toolset"), message, "leave it out: the toolset's name is before it")


@tool_rule(
    "TL306",
    bad="""
        toolset: shop
        tools:
          process_data: {description: Computes the taxes of an order., permission: readonly}
    """,
    good="""
        toolset: shop
        tools:
          compute_taxes: {description: Computes what an order costs with taxes., permission: readonly}
    """,
)
def vague_tool_name(tool: LintedTool) -> Iterator[Finding]:
    """The name of a tool has only words that fit any tool, such as `process_data`."""
    named = [word.lower() for word in words(tool.tool.key)]
    if named and set(named) <= _VAGUE_WORDS and len(named) > 1:
        yield Finding(tool.key, f"`{tool.tool.key}` fits any tool", "name what it works on")


@tool_rule(
    "TL307",
    bad="""
        toolset: shop
        tools:
          compute_taxes:
            description: Computes what an order costs with taxes.
            args: {param1: {type: integer, description: The number on the invoice.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          compute_taxes:
            description: Computes what an order costs with taxes.
            args: {invoice: {type: integer, description: "The number, as printed."}}
            permission: readonly
    """,
)
def vague_parameter_name(tool: LintedTool) -> Iterator[Finding]:
    """The name of a parameter says nothing: `param1`, `foo`, or one letter without a description.

    Letters that mathematics and coordinates use (`x`, `n`) are not reported where a description explains them.
    """
    for part in tool.parameters:
        if _VAGUE_PARAMETER.fullmatch(part.name) and not (part.description and part.name.lower() in _LETTERS):
            message = f"`{part.name}` of `{tool.tool.ident}` does not say what it is"
            yield Finding(part.field.of_key, message, "name what it is")


@tool_rule(
    "TL308",
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {"Order Number": {type: integer, description: "As printed, without dashes."}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by the number on its invoice.
            args: {order_number: {type: integer, description: "As printed, without dashes."}}
            permission: readonly
    """,
)
def odd_parameter_name(tool: LintedTool) -> Iterator[Finding]:
    """The name of a parameter has blanks, or letters beside ASCII.

    Models misspell such names, and Anthropic and Bedrock refuse a tool that has one at the root of its args.
    """
    for part in tool.args:
        if part.name and (not part.name.isascii() or not part.name.isprintable() or " " in part.name):
            message = f"`{part.name}` of `{tool.tool.ident}` has blanks or letters beside ASCII"
            yield Finding(part.field.of_key, message, "use letters, digits and `_`")
