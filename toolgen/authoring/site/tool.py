"""The page of a tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.policy_decisions import Decision, distinct, policy_decisions
from toolgen.authoring.site.contents import Kind, link_to, tool_tags
from toolgen.compiler.ir.facts import Fact, facts_of
from toolgen.pages.fields import side_of
from toolgen.schema.json_values import compact_json, is_object
from toolgen.spec.literals import literal

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import AgentUse, Contents, Entry, Link, ToolPlace, Uses
    from toolgen.authoring.site.history import ToolChange
    from toolgen.authoring.site.model_views import Form, Shown
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import ClassType
    from toolgen.pages.fields import Side


_LINE: Final = 88
"""Maximum characters of a line of Python, as formatters have it."""


@dataclass(frozen=True, slots=True)
class ExampleText:
    """An example as indented JSON; `result` is empty if none is given."""

    args: str
    result: str


@dataclass(frozen=True, slots=True)
class ToolPage:
    """All that the page of a tool shows. The JSON of schemas is compact, that of examples indented."""

    ident: str
    title: str
    description: str
    permission: str
    tags: tuple[str, ...]
    toolset: Link
    kind: str
    facts: tuple[Fact, ...]
    args: Side
    args_json: str
    result: Side
    result_json: str
    examples: tuple[ExampleText, ...]
    decisions: tuple[Decision, ...]
    checked_by_call: tuple[str, ...]
    agents: tuple[AgentUse, ...]
    entries: tuple[Entry, ...]
    python: str
    python_names: tuple[tuple[str, str], ...]
    providers: tuple[Form, ...]
    presentations: tuple[Form, ...]
    history: tuple[ToolChange, ...]
    previous: Link | None
    following: Link | None


def tool_page(
    contents: Contents, place: ToolPlace, shown: Shown, uses: Uses, history: Iterable[ToolChange]
) -> ToolPage:
    """Return the page of a tool. `history` are its changes, the newest first."""
    tool, toolset = place.tool, place.toolset
    previous, following = contents.neighbours[tool.ident]
    return ToolPage(
        ident=tool.ident,
        title=tool.title,
        description=tool.description,
        permission=tool.permission.value,
        tags=tool_tags(tool, toolset),
        toolset=link_to(contents, Kind.TOOLSET, toolset.name),
        kind=toolset.kind.value,
        facts=tuple(_facts(tool)),
        args=side_of(tool.args.json, "args-fields", tool.inject),
        args_json=compact_json(tool.args.json),
        result=side_of(tool.result.json, "result-fields"),
        result_json=compact_json(tool.result.json),
        examples=tuple(
            ExampleText(_json(each.args), _json(each.result) if each.has_result else "") for each in tool.examples
        ),
        decisions=tuple(distinct(policy_decisions(place.part.catalog.policies, toolset, tool))),
        checked_by_call=tuple(_checked_by_call(tool)),
        agents=tuple(uses.agents.get(tool.ident, ())),
        entries=tuple(uses.entries.get(tool.ident, ())),
        python=_python(place.part.package, toolset, tool, contents.args_class(place)),
        python_names=_python_names(tool),
        providers=shown.by_provider(tool),
        presentations=shown.by_presentation(tool),
        history=tuple(history),
        previous=link_to(contents, Kind.TOOL, previous) if previous else None,
        following=link_to(contents, Kind.TOOL, following) if following else None,
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _facts(tool: Tool) -> Iterator[Fact]:
    """Yield what is set of a tool besides what heads its page, and where it is defined."""
    yield from (fact for fact in facts_of(tool) if fact.key not in ("permission", "tags"))
    yield Fact("", "defined in", is_listed=False, codes=(f"{tool.span.file}:{tool.span.line}",))


def _checked_by_call(tool: Tool) -> Iterator[str]:
    """Yield what policies also check for each call."""
    if "network" in tool.tags:
        yield "hosts"
    if tool.access.has_paths or tool.access.exec:
        yield "paths"


def _python(package: str, toolset: Toolset, tool: Tool, args: ClassType | None) -> str:
    """Return the import of a tool, and a call with the args of its first example, or those that are required."""
    names = tool.names
    module = ".".join((package, *toolset.package))
    given = list(_arguments(tool, args))
    call = f"result = await runtime.call({names.constant}, {names.args}({', '.join(given)}))"
    if len(call) > _LINE:
        inner = f"    {names.constant}, {names.args}({', '.join(given)})"
        lines = "".join(f"        {each},\n" for each in given)
        longer = f"    {names.constant},\n    {names.args}(\n{lines}    ),"
        call = f"result = await runtime.call(\n{inner if len(inner) <= _LINE else longer}\n)"
    return f"from {module} import {names.constant}, {names.args}\n\n{call}"


def _arguments(tool: Tool, args: ClassType | None) -> Iterator[str]:
    example = tool.examples[0].args if tool.examples else {}
    for field in args.fields if args else ():
        if is_object(example) and field.wire in example:
            value = example[field.wire]
            is_simple = value is None or isinstance(value, str | int | float | bool)
            yield f"{field.python}={literal(value) if is_simple else '...'}"
        elif field.required:
            yield f"{field.python}=..."


def _python_names(tool: Tool) -> tuple[tuple[str, str], ...]:
    names = tool.names
    return (
        ("Ident", names.constant),
        ("Args", names.args),
        ("Result", names.result),
        ("Builder of calls", names.call),
        ("Method of handlers", names.function),
    )
