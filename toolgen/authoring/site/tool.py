"""The page of a tool, with the tool as models get it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.policy_decisions import Decision, distinct, policy_decisions
from toolgen.authoring.site.contents import Kind, link_to, tool_tags
from toolgen.compiler.ir.text import Fact, facts_of
from toolgen.contract.ident import build
from toolgen.llm.actions.catalog import Action, Category, category_of
from toolgen.llm.actions.view import ActionEntry
from toolgen.llm.presentations.protocol import Candidates
from toolgen.llm.tags.definition import ToolDef, prompt_block
from toolgen.pages.fields import side_of
from toolgen.providers.protocol import OfferedTool
from toolgen.providers.stubs import write_stubs
from toolgen.providers.table import PROVIDERS, provider, provider_tool_name
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import compact_json, is_object
from toolgen.spec.builtin import DISCOVERY
from toolgen.spec.derived import catalog_mark
from toolgen.spec.literals import literal
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.authoring.site.contents import AgentUse, Contents, Entry, Link, Part, ToolPlace, Uses
    from toolgen.authoring.site.history import ToolChange
    from toolgen.compiler.ir.catalog import Action as CompiledAction
    from toolgen.compiler.ir.catalog import Category as CompiledCategory
    from toolgen.compiler.ir.catalog import Tool, Toolset
    from toolgen.compiler.ir.shapes import ClassType
    from toolgen.pages.fields import Side
    from toolgen.providers.protocol import SchemaDifference

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
    providers: tuple[_Form, ...]
    presentations: tuple[_Form, ...]
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


# Shown: the tool as models get it, by provider and by presentation, with its bytes. The text is the real one:
# from the functions that build requests, prompts and answers.


@dataclass(frozen=True, slots=True)
class _Form:
    """A tool in one form. `text` is what is sent, in the `language` json, python or text; `bytes` its UTF-8 length.

    If it cannot be sent, `problem` says why, and the text is empty. `differences`
    are where a provider's schema is not that of the tool.
    """

    label: str
    language: str
    text: str
    differences: tuple[str, ...] = ()
    problem: str = ""

    @property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.text.encode())


class Shown:
    """The forms of the tools of one target."""

    def __init__(self, part: Part) -> None:
        self._tools = {tool.ident: tool for tool in part.catalog.tools}
        self._part = part
        self._providers = {name: provider(name) for name in PROVIDERS}
        self._candidates = Candidates(self._tools, self._offered, self._wire_name)

    def by_provider(self, tool: Tool) -> tuple[_Form, ...]:
        """Return the members of a request with only this tool, for every provider.

        Empty for the tools that describe others, which presentations offer in their own way.
        """
        return () if tool.ident in DISCOVERY else tuple(self._by_provider(tool))

    def by_presentation(self, tool: Tool) -> tuple[_Form, ...]:
        """Return what the presentations other than `enumerate-all` show of a tool."""
        if tool.ident in DISCOVERY:
            return ()
        return (*self._actions_forms(tool), self._found(tool), self._function(tool), *self._tag(tool))

    def _by_provider(self, tool: Tool) -> Iterator[_Form]:
        offered = self._candidates[tool.ident]
        for label, made in self._providers.items():
            payload = made.tools([replace(offered, name=provider_tool_name(tool.ident, offered.name, made))])
            text = "" if payload.problems else compact_json(dict(payload.fields))
            problem = "; ".join(f"{each.pointer and f'at {each.pointer}: '}{each.reason}" for each in payload.problems)
            yield _Form(label, "json", text, tuple(_sentences(payload.differences)), problem)

    def _wire_name(self, ident: str) -> str:
        return self._tools[ident].wire_name or wire_name(ident)

    def _offered(self, ident: str) -> OfferedTool:
        tool = self._tools[ident]
        return OfferedTool(
            ident=ident,
            name=self._wire_name(ident),
            title=tool.title,
            description=tool.description,
            permission=tool.permission.value,
            tags=frozenset(tool.tags),
            args=model_args_schema(tool.args.json, tool.inject),
            result=tool.result.json,
        )

    def _actions_forms(self, tool: Tool) -> Iterator[_Form]:
        for label, entry in self._entries.get(tool.ident, ()):
            text = compact_json({"qualified_name": entry.name, "short_description": entry.short_description})
            yield _Form(f"{label}, listed", "json", text)
            yield _Form(f"{label}, described", "json", compact_json(entry.as_described()))

    @cached_property
    def _entries(self) -> dict[str, list[tuple[str, ActionEntry]]]:
        """The actions by their targets: of the action catalogs, or, without one, of categories for all toolsets."""
        found: dict[str, list[tuple[str, ActionEntry]]] = {}
        catalog = self._part.catalog
        for each in catalog.catalogs:
            for category in each.categories:
                for entry, action in category.actions.items():
                    found.setdefault(action.target, []).append(
                        (f"universal-category ({each.name})", self._entry(_category(category), entry, _action(action)))
                    )
        for toolset in () if catalog.catalogs else catalog.toolsets:
            whole = Category(name=category_of(toolset.name), description=toolset.description)
            for tool in toolset.tools:
                entry = tool.ident.removeprefix(f"{toolset.name}.")
                made = self._entry(whole, entry, Action(target=tool.ident))
                found.setdefault(tool.ident, []).append(("universal-category", made))
        return found

    def _entry(self, category: Category, entry: str, action: Action) -> ActionEntry:
        name = build(category.name, entry)
        return ActionEntry(name=name, category=category, action=action, candidates=self._candidates)

    def _found(self, tool: Tool) -> _Form:
        offered = self._candidates[tool.ident]
        line = compact_json({"name": offered.name, "description": offered.short_description})
        return _Form("retrieval, when found", "json", line)

    def _function(self, tool: Tool) -> _Form:
        stub = self._stubs["tools"][tool.ident]
        types = [self._stubs["types"][name] for name in stub.get("types", ())]
        return _Form("codeact", "python", "\n\n".join([*types, stub["source"]]))

    @cached_property
    def _stubs(self) -> dict[str, Any]:
        document = json.loads(self._part.text)
        text = write_stubs(document["tools"], document["wire_names"], catalog_mark(self._part.text))
        stubs: dict[str, Any] = json.loads(text)
        return stubs

    def _tag(self, tool: Tool) -> Iterator[_Form]:
        if tool.tag is None:
            return
        made = ToolDef(
            name=tool.key,
            description=tool.description,
            tag_prefix=tool.tag.prefix,
            arg_pattern=tool.tag.pattern,
            arg_groups=list(tool.tag.groups),
            prompt_example=tool.tag.example,
        )
        try:
            yield _Form("tags", "text", prompt_block([made]))
        except CatalogError as error:
            yield _Form("tags", "text", "", problem=str(error))


def _category(category: CompiledCategory) -> Category:
    return Category(name=category.name, description=category.description)


def _action(action: CompiledAction) -> Action:
    return Action(target=action.target, schema=action.schema)


def _sentences(differences: tuple[SchemaDifference, ...]) -> Iterator[str]:
    """Describe where a provider's schema differs, with the number of places."""
    counted = Counter((each.effect, each.keyword) for each in differences)
    for (effect, keyword), count in sorted(counted.items()):
        places = "" if count == 1 else f" ({count} places)"
        if effect == "looser":
            what = f"`{keyword}`" if keyword else "a part"
            yield f"{what} is described, not enforced{places}"
        else:
            yield f"{'null cannot be sent' if keyword == 'type' else 'undeclared fields cannot be sent'}{places}"
