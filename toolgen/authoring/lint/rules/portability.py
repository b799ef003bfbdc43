"""Rules on portability: what an API refuses, drops or counts, as `toolgen.providers` knows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toolgen.authoring.lint.registry import Finding, rule, tool_rule
from toolgen.authoring.lint.surface import offers, used_tools
from toolgen.spec.wire_names import STRICT, fits, wire_name

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, Project
    from toolgen.providers.protocol import OfferProblem

_STRICT_SUFFIX: Final = "-strict"
_LIMITS: Final = {"TL405": "properties", "TL406": "levels of objects", "TL407": "values of enums"}


def _problems(project: Project) -> Iterator[tuple[LintedTool, OfferProblem, list[str]]]:
    """Yield each problem of a tool with the providers that have it."""
    offered = offers(project)
    for tool in project.tools:
        found: dict[str, tuple[OfferProblem, list[str]]] = {}
        for name, problem in offered[tool.tool.ident].problems if tool.tool.ident in offered else ():
            found.setdefault(problem.reason, (problem, []))[1].append(name)
        yield from ((tool, problem, names) for problem, names in found.values())


def _is_argument(problem: OfferProblem) -> bool:
    """Whether a problem is the name of an arg; `argument_problems` points at the properties for it."""
    return problem.pointer == "/properties" and problem.reason.startswith("the arg ")


def _limit_of(problem: OfferProblem) -> str:
    words = problem.reason
    return next((code for code, what in _LIMITS.items() if words.startswith("has ") and f" {what};" in words), "")


@tool_rule(
    "TL401",
    bad="""
        toolset: shop.orders.of.the.whole.world
        tools:
          find_by_number_on_the_invoice_or_by_customer: {description: Find orders in any way., permission: readonly}
    """,
    good="""
        toolset: shop.orders
        tools:
          find: {description: Find orders by number or customer., permission: readonly}
    """,
)
def hashed_wire_name(tool: LintedTool) -> Iterator[Finding]:
    """The name that models see ends in a hash, because the ident does not fit the grammar of providers.

    It allows 64 letters, digits, `_` and `-`. Shorten the ident, or write a `wire_name`.
    """
    ident = tool.tool.ident
    if not tool.tool.wire_name and wire_name(ident) != ident.replace(".", "__"):
        message = f"models see `{ident}` as `{wire_name(ident)}`"
        help_ = f"shorten it to {STRICT.max_length} characters, or write a `wire_name`"
        yield Finding(tool.key, message, help_ if not fits(ident.replace(".", "__"), STRICT) else "write a `wire_name`")


@rule(
    "TL402",
    bad="""
        toolset: shop
        types: {Tree: {below: [Tree]}}
        tools:
          find_order:
            description: Find an order by its number.
            args: {tree: {$ref: "#/types/Tree", description: Where it lies.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: integer, description: The number on the invoice.}}
            permission: readonly
    """,
)
def refused_by_provider(project: Project) -> Iterator[Finding]:
    """A provider cannot represent the args of a tool, so requests to it have to leave the tool out.

    The providers are those of `lint.providers`. Names of args are `TL403`, strict modes `TL405` to `TL407` and `TL409`.
    """
    for tool, problem, names in _problems(project):
        lenient = [name for name in names if not _is_strict(name)]
        if lenient and not _is_argument(problem):
            message = f"{_list(lenient)} cannot take `{tool.tool.ident}`: {problem.reason}"
            yield Finding((tool.place / "args").of_key, message, "change the args, or set `lint.providers`")


@rule(
    "TL403",
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {"order/number": {type: integer, description: As on the invoice.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {order_number: {type: integer, description: As on the invoice.}}
            permission: readonly
    """,
)
def refused_parameter_name(project: Project) -> Iterator[Finding]:
    """A provider refuses the name of an arg, and with it the tool: Anthropic and Bedrock take `[a-zA-Z0-9_.-]{1,64}`.

    Names with blanks or letters beside ASCII are `TL308`.
    """
    for tool, problem, names in _problems(project):
        if _is_argument(problem):
            for part in tool.parameters:
                plain = part.name.isascii() and part.name.isprintable() and " " not in part.name
                if plain and f"the arg {part.name!r} has" in problem.reason:
                    message = f"{_list(names)} refuses the name `{part.name}` of `{tool.tool.ident}`"
                    yield Finding(part.field.of_key, message, "use letters, digits, `_`, `.` and `-`, at most 64")


@rule(
    "TL404",
    bad="""
        toolset: shop
        description: Orders of the shop.
        tools: {{{}}}
    """.format(
        ", ".join(
            f"find_{a}{b}: {{description: Find what {a}{b} put away{a}{b}., permission: readonly}}"
            for a in "abcdefghijkl"
            for b in "abcdefghijk"
        )
    ),
    good="""
        toolset: shop
        tools:
          find: {description: Find orders by number or customer., permission: readonly}
    """,
)
def too_many_tools(project: Project) -> Iterator[Finding]:
    """A set of tools is larger than a request may have: OpenAI takes 128.

    Reported for each agent, or for all tools where there is no agent, if a layer shows all of them
    (`tool_use`, `enumerate-all`). Narrow `use`, or show them by category or search.
    """
    from toolgen.providers.table import provider

    if "enumerate-all" not in project.config.tool_use.presentations.values():
        return
    limits = {name: most for name in project.config.lint.providers if (most := provider(name).max_tools) is not None}
    for used in used_tools(project):
        over = [name for name, most in limits.items() if len(used.tools) > most]
        if over:
            message = (
                f"{used.what} has {len(used.tools):,} tools, and a request to {_list(over)} at most {limits[over[0]]}"
            )
            yield Finding(used.place, message, "narrow `use`, or set another presentation in `tool_use`")


def _over(project: Project, code: str) -> Iterator[Finding]:
    for tool, problem, names in _problems(project):
        if _limit_of(problem) == code:
            message = f"`{tool.tool.ident}` {problem.reason.partition(';')[0]}, more than {_list(names)} takes"
            yield Finding((tool.place / "args").of_key, message, problem.reason.rpartition("; ")[2])


def _wide(count: int) -> str:
    """Return fields that every example may have, many of them."""
    return ", ".join(f"f{number}x: {{type: boolean}}" for number in range(count))


@rule(
    "TL405",
    beside=("TL601", "TL602"),
    bad=f"""
        toolset: shop
        types: {{Flags: {{{_wide(5001)}}}}}
        tools:
          set_flags:
            description: Changes what a customer gets to see.
            args: {{flags: {{$ref: "#/types/Flags", description: What to change.}}}}
    """,
    good=f"""
        toolset: shop
        types: {{Flags: {{{_wide(20)}}}}}
        tools:
          set_flags:
            description: Changes what a customer gets to see.
            args: {{flags: {{$ref: "#/types/Flags", description: What to change.}}}}
    """,
)
def too_many_properties(project: Project) -> Iterator[Finding]:
    """The args of a tool have more properties than a strict mode takes; checked for strict `lint.providers`."""
    yield from _over(project, "TL405")


@rule(
    "TL406",
    beside=("TL212",),
    bad="""
        toolset: shop
        types: {Level: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: boolean}}}}}}}}}}}}
        tools:
          set_flags:
            description: Changes what a customer gets to see.
            args: {flags: {$ref: "#/types/Level", description: What to change.}}
    """,
    good="""
        toolset: shop
        types: {Level: {a: {a: boolean}}}
        tools:
          set_flags:
            description: Changes what a customer gets to see.
            args: {flags: {$ref: "#/types/Level", description: What to change.}}
    """,
)
def too_deep_for_strict(project: Project) -> Iterator[Finding]:
    """The args of a tool are nested deeper than a strict mode takes; checked for strict `lint.providers`."""
    yield from _over(project, "TL406")


@rule(
    "TL407",
    beside=("TL601",),
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its place.
            args: {{city: {{enum: [{}], description: Where it went.}}}}
            permission: readonly
    """.format(", ".join(f"c{number}" for number in range(1001))),
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its place.
            args: {city: {enum: [Oslo, Bergen], description: Where it went.}}
            permission: readonly
    """,
)
def too_many_enum_values(project: Project) -> Iterator[Finding]:
    """The enums of a tool have more values than a strict mode takes; checked for strict `lint.providers`."""
    yield from _over(project, "TL407")


@rule(
    "TL408",
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: string, not: {pattern: "^A-"}, description: The number on the invoice.}}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: string, description: "The number on the invoice, such as `A-17`."}}
            permission: readonly
    """,
)
def unenforced_schema(project: Project) -> Iterator[Finding]:
    """A provider does not know a condition of a schema (`not`, `if`, `allOf`), so a model is only told of it.

    Nothing breaks: the runtime checks every call. Plain bounds such as `maxLength` are not reported, and strict
    modes are not.
    """
    offered = offers(project)
    for tool in project.tools:
        keywords: dict[str, list[str]] = defaultdict(list)
        for name, keyword in offered[tool.tool.ident].looser if tool.tool.ident in offered else ():
            if not _is_strict(name):
                keywords[keyword or "structure"].append(name)
        for keyword, names in keywords.items():
            message = f"`{keyword}` in `{tool.tool.ident}` is not enforced by {_list(list(dict.fromkeys(names)))}"
            yield Finding((tool.place / "args").of_key, message, "say it in the description too")


@rule(
    "TL409",
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args:
              type: object
              properties: {number: {type: string, description: The number on the invoice.}}
              additionalProperties: {type: string}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: integer, description: The number on the invoice.}}
            permission: readonly
    """,
)
def refused_by_strict_mode(project: Project) -> Iterator[Finding]:
    """A strict mode cannot represent the args of a tool at all, so there it can only be offered without it.

    How many tools a strict request takes depends on the others, and is not reported: `toolgen export` shows it.
    """
    refused = {tool.tool.ident for tool, _, names in _problems(project) if any(not _is_strict(name) for name in names)}
    for tool, problem, names in _problems(project):
        strict = [name for name in names if _is_strict(name)]
        of_request = problem.reason.startswith("exceeds a limit")
        if (
            strict == names
            and tool.tool.ident not in refused
            and not of_request
            and not _is_argument(problem)
            and not _limit_of(problem)
        ):
            message = f"{_list(strict)} cannot take `{tool.tool.ident}`: {problem.reason}"
            yield Finding((tool.place / "args").of_key, message, "describe the args as a plain object")


def _is_strict(name: str) -> bool:
    return name.endswith(_STRICT_SUFFIX)


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
