"""Catalog files to action catalogs: every target exists, every parameter has one source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics.diagnostic import Related, listing
from toolgen.compiler.documents.selecting import In
from toolgen.compiler.ir.catalog import (
    ARGS,
    ENTRY,
    Action,
    ActionCatalog,
    Category,
    Condition,
    Mandate,
    args_read,
    literal_of,
    references_in,
    takes_all,
)
from toolgen.compiler.resolve.names import KEYWORDS, Namespace, attribute, snake
from toolgen.compiler.resolve.validity import violations
from toolgen.contract.ident import SEPARATOR
from toolgen.schema.compact import compact, model_args_schema
from toolgen.schema.keywords import required_of
from toolgen.schema.references import behind
from toolgen.spec.builtin import DISCOVERY

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.selecting import ActionSpec, CatalogFile, CategorySpec, NotIn
    from toolgen.compiler.ir.catalog import Tool, Toolset


# Mappings of actions: checks values of target parameters, and computes the schema of the action.

_KEPT: Final = ("$schema", "$defs", "definitions", "type", "title", "description")
"""Keywords of the target's schema that still apply if some of its properties are mapped."""


def misfit(value: Any, parameter: str, target: Mapping[str, Any]) -> str:
    """Return why a value does not fit a parameter of a target, given the schema of its args; empty if it fits.

    A literal is checked against the schema. For `$entry`, which is text, and `$args`, an object, the type is checked.
    """
    schema = target["properties"][parameter]
    if not any(references_in(value)):
        definitions = {key: target[key] for key in ("$schema", "$defs", "definitions") if key in target}
        found = violations({**definitions, "properties": {parameter: schema}}, {parameter: _unescaped(value)})
        return found[0][1] if found else ""
    return _type_misfit(value, schema, target)


def _type_misfit(value: Any, schema: Any, target: Mapping[str, Any]) -> str:
    schema = behind(schema, target)
    types = schema.get("type") if isinstance(schema, dict) else None
    allowed = [types] if isinstance(types, str) else types
    wanted = "array" if isinstance(value, list) else {ENTRY: "string", ARGS: "object"}.get(value, "")
    if wanted and allowed is not None and wanted not in allowed:
        what = "a list" if wanted == "array" else f"`{value}`, which is {'text' if wanted == 'string' else 'an object'}"
        return f"it accepts {' or '.join(allowed)}, but is given {what}"
    if isinstance(value, list) and isinstance(schema, dict) and "items" in schema:
        return next(filter(None, (_type_misfit(item, schema["items"], target) for item in value)), "")
    return ""


def _unescaped(value: Any) -> Any:
    if isinstance(value, list):
        return [_unescaped(item) for item in value]
    return literal_of(value) if isinstance(value, str) else value


def _items_of(schema: Any, target: Mapping[str, Any]) -> Any:
    """Return the schema of the items of a list parameter."""
    schema = behind(schema, target)
    items = schema.get("items", {}) if isinstance(schema, dict) else {}
    return {} if isinstance(items, list) else items


def shown_schema(
    target: Mapping[str, Any], args: Mapping[str, Any], split: Mapping[str, tuple[str, str]]
) -> dict[str, Any]:
    """Return the schema of an action: that of its target, without mapped or split parameters, plus the action's args.

    Keywords of the target about several properties are dropped, because they would apply to other properties.
    """
    mapped = {*args, *(parameter for pair in split.values() for parameter in pair)}
    known: Mapping[str, Any] = target.get("properties", {})
    needed = required_of(target)
    properties = {name: schema for name, schema in known.items() if name not in mapped}
    required = dict.fromkeys(name for name in needed if name not in mapped)
    is_open = target.get("additionalProperties", True) is not False
    for parameter, value in args.items():
        if value == ARGS:
            properties[parameter] = known[parameter]
        for name in args_read(value):
            schema = known[parameter] if isinstance(value, str) else _items_of(known[parameter], target)
            properties.setdefault(name, schema)
            if parameter in needed:
                required[name] = None
        is_open = is_open or takes_all(value)
    for arg, pair in split.items():
        form = SEPARATOR.join(f"<{parameter}>" for parameter in pair)
        properties[arg] = {"type": "string", "description": f"`{form}`."}
        if not needed.keys().isdisjoint(pair):
            required[arg] = None
    kept = {key: target[key] for key in _KEPT if key in target}
    return {
        **kept,
        "properties": properties,
        **({"required": [*required]} if required else {}),
        **({} if is_open else {"additionalProperties": False}),
    }


_TAKEN: Final = KEYWORDS | {"agents", "tools"}
"""Reserved names for modules of routing tables: the last two may be folders next to it."""

_CATEGORY = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*")
_REFERENCE = re.compile(r"\$entry|\$args(\..+)?")
_SPLIT = re.compile(r"<([^<>]+)>__<([^<>]+)>")
_NAME = re.compile(r"(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]+__[A-Za-z0-9_-]+")


def resolve_catalogs(
    documents: Sequence[Document[CatalogFile]], toolsets: Sequence[Toolset], sink: Diagnostics
) -> list[ActionCatalog]:
    """Return the action catalogs."""
    made: dict[str, ActionCatalog] = {}
    for document in documents:
        catalog = _Resolver(document, toolsets, sink).resolve()
        first = made.setdefault(catalog.name, catalog)
        if first is not catalog:
            sink.report(
                "TG301",
                catalog.span,
                f"the catalog `{catalog.name}` is defined twice",
                related=[Related(first.span, "first here")],
                fix="rename one of them",
            )
    modules = Namespace()
    for catalog in made.values():
        modules.claim([catalog.module], f"the catalog `{catalog.name}`", catalog.span, sink, fix="rename one of them")
    return list(made.values())


class _Resolver:
    def __init__(self, document: Document[CatalogFile], toolsets: Sequence[Toolset], sink: Diagnostics) -> None:
        self._document = document
        self._file = document.file
        self._tools: Mapping[str, Tool] = {tool.ident: tool for toolset in toolsets for tool in toolset.tools}
        self._toolsets = {toolset.name for toolset in toolsets}
        self._sink = sink

    def resolve(self) -> ActionCatalog:
        file, document = self._file, self._document
        self._check_toolset(file.from_, document.span("from"))
        categories = tuple(self._category(name, spec) for name, spec in file.categories.items())
        entries = {f"{category.name}__{entry}" for category in categories for entry in category.actions}
        self._check_formerly(categories)
        self._check_conditions(categories)
        for index, seed in enumerate(file.hot_list.seeds):
            self._check_entry(seed, entries, categories, document.span("hot_list", "seeds", index), "TG509")
        for index, mandate in enumerate(file.mandates):
            for word in _NAME.findall(mandate.text):
                self._check_entry(
                    word.rstrip("."), entries, categories, document.span("mandates", index, "text"), "TG507"
                )
        return ActionCatalog(
            name=file.catalog,
            module=snake(file.catalog, _TAKEN),
            prompt=file.prompt.strip(),
            categories=categories,
            search_needs=_condition(file.search.needs, "search"),
            mandates=tuple(Mandate(mandate.text, tuple(mandate.tiers), mandate.repeat) for mandate in file.mandates),
            hot_list_size=file.hot_list.size,
            hot_list_seeds=tuple(file.hot_list.seeds),
            span=document.span("catalog"),
        )

    def _category(self, name: str, spec: CategorySpec) -> Category:
        document, span = self._document, self._document.span("categories", name, key=True)
        if not _CATEGORY.fullmatch(name) or "__" in name or any(part.endswith("_") for part in name.split(".")):
            self._sink.report(
                "TG505",
                span,
                f"`{name}` cannot be a category: its name is words joined by dots, without `__` or a `_` at an end",
            )
        if (spec.actions is None) == (spec.target is None):
            self._sink.report(
                "TG505",
                span,
                f"`{name}`needs exactly one of `actions` and `target`",
                fix="`actions` lists fixed entries; with `target` the entries come from the host",
            )
        if spec.actions == {}:
            self._sink.report("TG505", span, f"`{name}` has no entries", fix="add some, or remove the category")
        if spec.target is not None and not spec.invoke:
            self._sink.report(
                "TG505",
                span,
                f"`{name}` has a `target`, so it must describe what invoking an entry does",
                fix="add `invoke: …`",
            )
        entries = (f"{name}__{entry}" for entry in spec.actions or ())
        if any(_mentions(spec.description, word) for word in (*self._tools, *entries)):
            self._sink.report(
                "TG505",
                document.span("categories", name, "description"),
                "a description of a category must not name tools: models find them by listing",
            )
        self._check_toolset(spec.from_, document.span("categories", name, "from"))
        home = spec.from_ or self._file.from_
        actions: dict[str, Action] = {}
        for entry, action in (spec.actions or {}).items():
            where = ("categories", name, "actions", entry)
            if not entry.strip():
                self._sink.report("TG505", document.span(*where, key=True), "an entry needs a name")
            made = self._action(entry if action is None else action, home, where)
            if made is not None:
                actions[entry] = made
        resource = None
        if spec.target is not None:
            resource = self._mapped(spec.target, spec.args, spec.split, home, ("categories", name), resource=True)
        needs = None if spec.needs is None else _condition(spec.needs, name)
        return Category(name, spec.description, needs, tuple(spec.formerly), actions, resource, spec.invoke)

    def _action(self, action: str | ActionSpec, home: str | None, where: tuple[str, ...]) -> Action | None:
        if isinstance(action, str):
            ident = self._ident(action, home, self._document.span(*where))
            return None if ident is None else Action(ident)
        return self._mapped(action.target, action.args, action.split, home, where, resource=False)

    def _mapped(
        self,
        target: str,
        args: Mapping[str, Any],
        split: Mapping[str, str],
        home: str | None,
        where: tuple[str, ...],
        *,
        resource: bool,
    ) -> Action | None:
        document = self._document
        ident = self._ident(target, home, document.span(*where, "target"))
        if ident is None:
            return None
        schema = model_args_schema(self._tools[ident].args.json, self._tools[ident].inject)
        properties = schema.get("properties", {})
        filled: dict[str, Any] = {}
        cut: dict[str, tuple[str, str]] = {}
        for parameter, value in args.items():
            span = document.span(*where, "args", parameter)
            is_sound = self._check_value(value, span, resource=resource)
            if self._check_parameter(parameter, properties, ident, document.span(*where, "args", parameter, key=True)):
                filled[parameter] = value
                problem = misfit(value, parameter, schema) if is_sound else ""
                if problem:
                    self._sink.report("TG506", span, f"this does not fit `{parameter}` of `{ident}`: {problem}")
        for arg, pattern in split.items():
            span = document.span(*where, "split", arg)
            match = _SPLIT.fullmatch(pattern)
            if match is None:
                self._sink.report(
                    "TG506",
                    span,
                    f"`{pattern}` does not define how to split `{arg}`",
                    fix="write `<first>__<second>` with two parameters of the target",
                )
                continue
            first, second = match.groups()
            if first == second:
                self._sink.report("TG506", span, f"`{first}` is filled twice by `split`", fix="name two parameters")
                continue
            for parameter in (first, second):
                if self._check_parameter(parameter, properties, ident, span):
                    cut[arg] = (first, second)
                if parameter in args:
                    self._sink.report(
                        "TG506",
                        span,
                        f"`{parameter}` is filled twice: by `split` and by `args`",
                        fix="keep one of them",
                    )
        mapped = {*filled, *(parameter for pair in cut.values() for parameter in pair)}
        passed = tuple(name for name in properties if name not in mapped)
        shown = compact(shown_schema(schema, filled, cut)) if filled or cut else None
        return Action(ident, filled, cut, passed, shown)

    def _check_parameter(self, parameter: str, properties: Mapping[str, Any], ident: str, span: Span) -> bool:
        if parameter in properties:
            return True
        known = self._sink.nearest(parameter, properties) or listing("args", properties)
        self._sink.report("TG506", span, f"`{ident}` has no arg `{parameter}`", fix=known)
        return False

    def _check_value(self, value: Any, span: Span, *, resource: bool) -> bool:
        """Whether all references in a value are valid."""
        if isinstance(value, list):
            sound = [self._check_value(inner, span, resource=resource) for inner in value]
            return all(sound)
        if isinstance(value, dict) and any(references_in(list(value.values()))):
            self._sink.report(
                "TG506",
                span,
                "a reference must be alone or in a list, not in an object",
                fix="add an arg for it to the target, or write the value",
            )
            return False
        if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
            if not _REFERENCE.fullmatch(value):
                self._sink.report(
                    "TG506",
                    span,
                    f"`{value}` is not a reference",
                    fix="write `$entry`, `$args` or `$args.name`; a literal `$` is `$$`",
                )
                return False
            if value == "$entry" and not resource:
                self._sink.report(
                    "TG506",
                    span,
                    "`$entry` is the name of an entry from the host, but these entries are fixed",
                    fix="write the value itself",
                )
                return False
        return True

    def _ident(self, name: str, home: str | None, span: Span) -> str | None:
        """Return the ident of a target: a name with a dot is an ident, any other a tool of the `from` toolset."""
        if "." not in name and home is None:
            self._sink.report(
                "TG501",
                span,
                f"`{name}` is a bare name, but there is no `from` to look it up in",
                fix="write `from: <toolset>`, or the full ident",
            )
            return None
        ident = name if "." in name else f"{home}.{name}"
        if ident in DISCOVERY:
            self._sink.report("TG501", span, f"`{ident}` lists actions, so it cannot be one", fix="name another tool")
            return None
        if ident in self._tools:
            return ident
        if "." in name or home in self._toolsets:
            local = [known.rpartition(".")[2] for known in self._tools if known.rpartition(".")[0] == home]
            self._sink.report(
                "TG501", span, f"there is no tool `{ident}`", fix=self._sink.nearest(name, [*local, *self._tools])
            )
        return None

    def _check_toolset(self, name: str | None, span: Span) -> None:
        if name is not None and name not in self._toolsets:
            self._sink.report(
                "TG501", span, f"there is no toolset `{name}`", fix=self._sink.nearest(name, self._toolsets)
            )

    def _check_entry(self, name: str, entries: set[str], categories: Sequence[Category], span: Span, code: str) -> None:
        resources = [category.name for category in categories if category.resource is not None]
        if name not in entries and not any(name.startswith(f"{resource}__") for resource in resources):
            self._sink.report(code, span, f"there is no entry `{name}`", fix=self._sink.nearest(name, entries))

    def _check_conditions(self, categories: Sequence[Category]) -> None:
        deciding = {"is_search_available": "the search for actions"}
        for category in categories:
            if category.needs is None:
                continue
            other = deciding.setdefault(category.needs.function, category.name)
            if other != category.name:
                self._sink.report(
                    "TG505",
                    self._document.span("categories", category.name, "needs"),
                    f"the condition of `{category.name}` would be called `{category.needs.function}`, as for `{other}`",
                    fix="rename the category",
                )

    def _check_formerly(self, categories: Sequence[Category]) -> None:
        names = {category.name for category in categories}
        taken: set[str] = set()
        for category in categories:
            for index, old in enumerate(category.formerly):
                if old in names or old in taken:
                    self._sink.report(
                        "TG505",
                        self._document.span("categories", category.name, "formerly", index),
                        f"`{old}` already leads to a category",
                        fix="name an old category once, and only a removed one",
                    )
                taken.add(old)


def _condition(needs: str | Mapping[str, NotIn | In], what: str) -> Condition:
    """Return a condition with the name of its function."""
    function = f"is_{snake(what)}_available"
    if isinstance(needs, str):
        return Condition(needs, function, attribute(needs))
    ((setting, test),) = needs.items()
    among, except_ = (tuple(test.in_), ()) if isinstance(test, In) else ((), tuple(test.not_))
    return Condition(setting, function, attribute(setting), among, except_)


def _mentions(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<![A-Za-z0-9_.-]){re.escape(name)}(?![A-Za-z0-9_-])", text) is not None
