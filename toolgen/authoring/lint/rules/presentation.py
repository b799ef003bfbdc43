"""Rules on how tools are shown to models: what they cost, which are never shown, and the texts of categories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgen.authoring.lint.registry import Finding, rule, tool_rule
from toolgen.authoring.lint.surface import bytes_of, surfaces, used_tools
from toolgen.authoring.lint.text_fixes import without_items
from toolgen.schema.json_values import canonical

if TYPE_CHECKING:
    from toolgen.authoring.lint.view import LintedTool, Project, SpecPlace

_LONG = " ".join(f"Word {number} of a long text." for number in range(260))
_LONG_TOOL = 'find_{name}: {{description: "Find what {name} put away{name}.\\n{text}.", permission: readonly}}'


@rule(
    "TL601",
    bad=f"""
        toolset: shop
        tools:
          find_order:
            description: |
              Find an order by its number.
              {_LONG}
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
    """,
)
def costly_tool(project: Project) -> Iterator[Finding]:
    """A tool takes more bytes in a request to OpenAI than the threshold: its name, its description and its args.

    Four bytes are about one token, and every request pays for them. `toolgen stats` counts tokens.
    """
    most = project.threshold("TL601")
    for tool in project.tools:
        size = bytes_of(project, tool.tool)
        if size > most:
            message = f"`{tool.tool.ident}` takes {size:,} bytes of every request"
            yield Finding(tool.key, message, f"shorten its texts and args to {most:,.0f}, or split it")


@rule(
    "TL602",
    bad="""
        toolset: shop
        description: Orders of the shop.
        tools: {{{}}}
    """.format(
        ", ".join(_LONG_TOOL.format(name=f"{a}{b}", text=f"T{a}{b} " * 420) for a in "abcdefgh" for b in "abcdefgh")
    ),
    good="""
        toolset: shop
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
    """,
)
def costly_surface(project: Project) -> Iterator[Finding]:
    """The tools of an agent, as a layer shows them, take more bytes of each request than the threshold.

    Measured for the presentation of each layer (`tool_use`), as `toolgen stats` does. Narrow `use`, shorten texts, or
    show tools by category or search.
    """
    most = project.threshold("TL602")
    for used in used_tools(project):
        if sum(bytes_of(project, tool) for tool in used.tools) <= most:
            continue  # no presentation shows more than all tools
        for presentation, layers, size in surfaces(project, used.agent):
            if size > most:
                message = f"{used.what} has {len(used.tools):,} tools, which take {size:,} bytes with `{presentation}`"
                help_ = f"narrow them, or set another presentation for {', '.join(layers)}"
                yield Finding(used.place, message, help_)


@rule(
    "TL603",
    bad="""
        toolset: shop
        description: Orders of the shop.
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
          list_carts: {description: List what was put into carts and not bought., permission: readonly}
        ---
        agent: clerk
        use: [shop]
        ---
        catalog: actions
        categories:
          orders: {description: Orders of this year., actions: {find: shop.find_order}}
    """,
    good="""
        toolset: shop
        description: Orders of the shop.
        tools:
          find_order: {description: Find an order by its number., permission: readonly}
          list_carts: {description: List what was put into carts and not bought., permission: readonly}
        ---
        agent: clerk
        use: [shop]
        ---
        catalog: actions
        categories:
          orders: {description: Orders of this year., actions: {find: shop.find_order, carts: shop.list_carts}}
    """,
)
def tool_without_category(project: Project) -> Iterator[Finding]:
    """No category of an action catalog leads to a tool that an agent uses, and one does to others of its toolset.

    Where tools are shown by category, a model never sees it. It was probably added later, and forgotten here.
    """
    if not project.catalog.catalogs or "universal-category" not in project.config.tool_use.presentations.values():
        return
    reached = {
        action.target
        for catalog in project.catalog.catalogs
        for category in catalog.categories
        for action in (*category.actions.values(), category.resource)
        if action
    }
    used = {tool.ident: each.what for each in used_tools(project) for tool in each.tools}
    toolsets = {ident.rpartition(".")[0] for ident in reached}
    for tool in project.tools:
        ident = tool.tool.ident
        if ident in used and ident not in reached and tool.toolset.name in toolsets:
            message = f"{used[tool.tool.ident]} uses `{tool.tool.ident}`, and no category leads to it"
            yield Finding(tool.key, message, "add it to a category")


@tool_rule(
    "TL604",
    bad="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: integer, description: The number on the invoice.}}
            examples: [{args: {number: 1}}, {args: {number: 1}}]
            permission: readonly
    """,
    good="""
        toolset: shop
        tools:
          find_order:
            description: Find an order by its number.
            args: {number: {type: integer, description: The number on the invoice.}}
            examples: [{args: {number: 1}}, {args: {number: 99}}]
            permission: readonly
    """,
)
def repeated_example(tool: LintedTool) -> Iterator[Finding]:
    """Two examples of a tool have the same args, so the second shows nothing new. The fix removes an equal one."""
    place = tool.place / "examples"
    seen, wholes = set[bytes](), set[bytes]()
    for index, example in enumerate(tool.tool.examples):
        args, whole = canonical(example.args), canonical((place / index).node.to_data())
        if args in seen:
            message = f"example {index + 1} of `{tool.tool.ident}` has the args of an earlier one"
            fix = without_items(place, {index}, "Remove the example") if whole in wholes else None
            yield Finding(place / index, message, "show another case, or remove it", fix=fix)
        seen.add(args)
        wholes.add(whole)


@rule(
    "TL107",
    bad="""
        toolset: shop
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
          list_orders: {description: "List the orders of a customer, the newest first.", permission: readonly}
        ---
        agent: clerk
        use: [shop]
    """,
    good="""
        toolset: shop
        description: Orders of the web shop, and payments for them.
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
          list_orders: {description: "List the orders of a customer, the newest first.", permission: readonly}
        ---
        agent: clerk
        use: [shop]
    """,
)
def undescribed_toolset(project: Project) -> Iterator[Finding]:
    """A toolset of several tools has no description.

    Where tools are shown by category, it is the line by which a model chooses the category.
    """
    for toolset in project.toolsets:
        if not toolset.description.strip() and len(toolset.tools) > 1:
            message = f"the toolset `{toolset.name}` has no description"
            yield Finding(project.place(toolset, "toolset"), message, "write what its tools have in common")


@rule(
    "TL112",
    bad="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
        ---
        toolset: store
        description: Orders of the web shop.
        tools:
          find_shelf: {description: Find the shelf that an article is kept on., permission: readonly}
    """,
    good="""
        toolset: shop
        description: Orders of the web shop.
        tools:
          refund_order: {description: Pay an order back to the card that it was paid with.}
        ---
        toolset: store
        description: Articles in the warehouse.
        tools:
          find_shelf: {description: Find the shelf that an article is kept on., permission: readonly}
    """,
)
def duplicate_toolset_description(project: Project) -> Iterator[Finding]:
    """Two toolsets, or two categories of a catalog, have the same description, so neither can be chosen by it."""
    groups: dict[tuple[str, str], list[tuple[str, SpecPlace]]] = defaultdict(list)
    for toolset in project.toolsets:
        groups["toolset", toolset.description.strip()].append((toolset.name, project.place(toolset, "description")))
    for catalog in project.catalog.catalogs:
        for category in catalog.categories:
            place = project.place(catalog, "categories", category.name, "description")
            groups[f"category of {catalog.name}", category.description.strip()].append((category.name, place))
    for (kind, text), ((first, original), *others) in groups.items():
        for name, place in others if text else ():
            message = f"the {kind.partition(' ')[0]} `{name}` has the description of `{first}`"
            yield Finding(place, message, "write what belongs into which", ((original, "the same text"),))
