"""The catalog: every tool of a runtime, compiled or registered, with all its names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import cached_property
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import SEPARATOR
from toolgen.providers.spellings import SpelledAction, SpelledTool, ToolNames
from toolgen.runtime.base.errors import CatalogError, ToolNotFound
from toolgen.runtime.base.packages import Package, ToolLines, parse_package, read_package
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.catalog.definition import BUILT_IN_TAGS, PolicyEntry, ToolDefinition, source_of
from toolgen.runtime.catalog.handler_signature import annotated_model, function_of
from toolgen.runtime.catalog.registration import from_adapter, from_handler, input_schema_of, schema_of
from toolgen.runtime.codec.codec_source import CodecSource
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.runtime.base.packages import Side
    from toolgen.runtime.catalog.definition import Permission
    from toolgen.runtime.catalog.execution import Execute
    from toolgen.runtime.catalog.handler_signature import Handler
    from toolgen.runtime.catalog.plain_function import PlainFunction
    from toolgen.runtime.catalog.registration import HandlerT, RegisteredTool, SchemaProfile, ToolAdapter
    from toolgen.runtime.codec.codec import Codec

_OWN_FIELDS: Final = frozenset(
    {"title", "description", "permission", "tags", "args", "args_type", "result", "result_type"}
)


def load(package: str) -> Catalog:
    """Load the catalog of a generated package by its import name. Imports only the package itself, not its modules.

    Raises `CatalogError` if there is no such package, or if it has another contract version.
    """
    if not package:
        raise CatalogError(
            'load takes the import name of a generated package, such as "generated"; `Catalog()` is empty'
        )
    return Catalog(package)


class Catalog:
    """Tool definitions by ident, created on demand. Tools can be registered until a `Runtime` freezes the catalog."""

    def __init__(self, package: str = "", text: bytes | None = None) -> None:
        """Take the catalog of a package, or the text of a `catalog.json` whose package cannot be imported."""
        self._package = package
        found = Package({}, ToolLines(b"", 0, 0))
        if text is not None:
            found = parse_package(text, package)
        elif package:
            found = read_package(package)
        self._document, self._compiled = found.document, found.tools
        self._registered: dict[str, RegisteredTool] = {}
        self._tags: frozenset[str] = BUILT_IN_TAGS | self._document.get("tags", {}).keys()
        self._open_toolsets: frozenset[str] = frozenset()
        self._frozen = False

    def __contains__(self, ident: object) -> bool:
        return ident in self._compiled or ident in self._registered

    def __iter__(self) -> Iterator[str]:
        yield from self._compiled
        yield from self._registered

    def __len__(self) -> int:
        return len(self._compiled) + len(self._registered)

    @property
    def package(self) -> str:
        """The import name of the generated package; empty if there is none."""
        return self._package

    @property
    def asserts_formats(self) -> bool:
        """Whether codecs of compiled tools check `format`."""
        return bool(self._document.get("formats", "annotate") != "annotate")

    def run_by(self, runs: Mapping[str, Execute]) -> Catalog:
        """Return a copy of this catalog in which these functions run the registered tools with their idents."""
        made = copy(self)
        vars(made)["_registered"] = {
            ident: replace(tool, run=runs[ident], under=None, folder="") if ident in runs else tool
            for ident, tool in self._registered.items()
        }
        return made

    def resolve(self, name: str) -> str | None:
        """Return the ident for an ident or a wire name; None if the name is neither."""
        if name in self:
            return name
        return self._spellings.get(name)

    @cached_property
    def names(self) -> ToolNames:
        """All names by which rules and settings may refer to tools."""
        toolsets = {*self.toolsets, *map(_toolset, self._registered)}
        return ToolNames(dict.fromkeys(self), toolsets, self.spelled_tools, self._spelled_actions)

    def spelled_tools(self) -> Iterator[SpelledTool]:
        """Every tool, with its names."""
        for ident, tool in self._compiled.items():
            own = tool.get("source_name", _key(ident))
            others: list[str] = [tool["tag"]["prefix"]] if "tag" in tool else []
            toolset = _toolset(ident)
            if self._document["toolsets"][toolset].get("kind") == "mcp":
                others += [own, f"{_key(toolset)}{SEPARATOR}{own}"]
            python_name = _python_name(tool.get("args_type", ""))
            yield SpelledTool(ident, self.wire_name(ident), own, python_name, tuple(others))
        for ident in self._registered:
            yield SpelledTool(ident, self.wire_name(ident), _key(ident))

    def _spelled_actions(self) -> Iterator[SpelledAction]:
        for catalog in self.section("catalogs").values():
            for category in catalog["categories"]:
                for entry, action in category.get("actions", {}).items():
                    yield SpelledAction(
                        f"{category['name']}{SEPARATOR}{entry}", action["target"], is_plain="schema" not in action
                    )
                if "resource" in category:
                    name = f"{category['name']}{SEPARATOR}"
                    yield SpelledAction(name, category["resource"]["target"], is_plain=False)

    def definition(self, ident: str) -> ToolDefinition:
        """Return the definition of a tool. Raises `ToolNotFound`."""
        registered = self._registered.get(ident)
        if registered is not None:
            return registered.definition
        tool, toolset = self._compiled_tool(ident), _toolset(ident)
        kind, tags = self._document["toolsets"][toolset].get("kind", "service"), frozenset[str](tool.get("tags", ()))
        return ToolDefinition(
            name=ident,
            title=tool.get("title", ""),
            description=tool["description"],
            input_schema=tool["args"],
            result_schema=tool.get("result"),
            permission=tool.get("permission", "write"),
            tags=tags,
            metadata={
                "kind": kind,
                "source": source_of(kind, toolset, tags),
                "toolset": toolset,
                **{key: value for key, value in tool.items() if key not in _OWN_FIELDS},
                **({"wire_name": self._wire_names[ident]} if ident in self._wire_names else {}),
            },
        )

    def schema(self, ident: str, side: Side) -> Any:
        """Return a copy of the JSON Schema of one side of a tool. Raises `ToolNotFound`."""
        registered = self._registered.get(ident)
        if registered is None:
            return self._compiled_tool(ident).get(side, True)
        if side == "args":
            return deepcopy(registered.definition.input_schema)
        return True if registered.definition.result_schema is None else deepcopy(registered.definition.result_schema)

    def codec(self, ident: str, side: Side) -> Codec[Any]:
        """Return the codec of one side of a tool, for plain JSON where there is no package. Raises `ToolNotFound`."""
        from toolgen.runtime.codec.codec import Codec  # brings pydantic

        registered = self._registered.get(ident)
        if registered is None:
            self._check_known(ident)
            if self._package:
                return Codec.of_package(self._package, ident, side)
            return Codec.of(self.schema(ident, side), name=f"{ident} ({side})", assert_formats=self.asserts_formats)
        model = registered.model if side == "args" else registered.result_model
        source = CodecSource(name=f"{ident} ({side})", schema=self.schema(ident, side), type=model, foreign=True)
        return Codec(lambda: source)

    def toolset_of(self, ident: str) -> str:
        """Return the toolset of a tool. Raises `ToolNotFound`."""
        self._check_known(ident)
        return _toolset(ident)

    def package_of(self, toolset: str) -> str:
        """Return the import name of the generated package of a compiled toolset. Raises KeyError."""
        return f"{self._package}.{self._document['toolsets'][toolset]['package']}"

    def package_of_actions(self, name: str) -> str:
        """Return the import name of the routing tables of a compiled action catalog. Raises KeyError."""
        return f"{self._package}.catalogs.{self._document['catalogs'][name]['module']}"

    def toolset_description(self, toolset: str) -> str:
        """Return the description of a toolset; empty if it is not compiled or has none."""
        found: str = self._document.get("toolsets", {}).get(toolset, {}).get("description", "")
        return found

    @cached_property
    def toolsets(self) -> Mapping[str, tuple[str, ...]]:
        """Return the idents of every compiled toolset's tools."""
        tools: dict[str, list[str]] = {toolset: [] for toolset in self._document.get("toolsets", {})}
        for ident in self._compiled:
            tools[_toolset(ident)].append(ident)
        return {toolset: tuple(idents) for toolset, idents in tools.items()}

    @cached_property
    def entries(self) -> Mapping[str, PolicyEntry]:
        """The properties of every tool that selectors match, sorted by ident."""
        found = [self.entry(ident) for ident in self]
        return {entry.ident: entry for entry in sorted(found)}

    def section(self, name: str) -> Mapping[str, Any]:
        """Return the compiled `agents`, `catalogs` or `policies` by name. Must not be modified."""
        found: Mapping[str, Any] = self._document.get(name, {})
        return found

    def registered(self, ident: str) -> RegisteredTool | None:
        """Return the registration of a registered tool; None for a compiled one."""
        return self._registered.get(ident)

    @property
    def folders(self) -> dict[str, str]:
        """The folders that paths of calls of registered tools start at, each with one of its tools."""
        return {each.folder: ident for ident, each in self._registered.items() if each.folder}

    def wire_name(self, ident: str) -> str:
        """Return the wire name of a tool. Raises `ToolNotFound`."""
        self._check_known(ident)
        return self._wire_names.get(ident) or wire_name(ident)

    def suggestions(self, name: str) -> tuple[str, ...]:
        """Return the idents similar to a name, best first."""
        return nearest(name, self)

    def declare_tag(self, word: str) -> None:
        """Declare a tag of the host's own for registered tools."""
        self._check_open()
        self._tags |= {word}

    def open_toolset(self, name: str) -> None:
        """Allow registered tools in a compiled toolset: its rules and selectors then apply to them.

        Raises `CatalogError` for an unknown or built-in toolset.
        """
        self._check_open()
        if name not in self.toolsets or name in BUILTIN_TOOLSETS:
            meant = nearest(name, [each for each in self.toolsets if each not in BUILTIN_TOOLSETS], count=1)
            question = f"; did you mean {meant[0]}?" if meant else ""
            raise CatalogError(f"there is no compiled toolset {name} to open{question}")
        self._open_toolsets |= {name}

    def register(self, definition: ToolDefinition, handler: Handler, *, profile: SchemaProfile = "core") -> None:
        """Register a tool, run by a function of its args and, if it takes two parameters, the `ToolCallMeta`.

        The args are passed as the pydantic model that annotates the first parameter, or else as plain JSON values.
        Raises `CatalogError` for a taken or reserved name, a malformed definition, an undeclared tag, a schema
        outside `profile`, or a function that no call could run.
        """
        model = annotated_model(handler)
        self._add([from_handler(definition, handler, model=model, result_model=None, profile=profile)])

    def tool(
        self,
        name: str,
        *,
        description: str = "",
        input_schema: Mapping[str, Any] | type[BaseModel] | None = None,
        result_schema: Mapping[str, Any] | bool | type[BaseModel] | None = None,
        permission: Permission = "write",
        tags: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
        title: str = "",
        profile: SchemaProfile | None = None,
    ) -> Callable[[HandlerT], HandlerT]:
        """Decorator that registers a function as a tool.

        The description defaults to the docstring, the schema to that of the model that annotates the first parameter,
        or else to pydantic's of all parameters, which then get the args one by one. Both schemas may be pydantic
        models, whose instances are then the typed values. The profile defaults to `core`, and to `full` for the schema
        of several parameters.
        """
        if callable(name):
            raise CatalogError('`@catalog.tool` needs the name of the tool: write `@catalog.tool("weather.forecast")`')
        if isinstance(tags, str):
            raise CatalogError(f"the tags of {name} must be a list: write `tags=[{tags!r}]`")

        def decorate(handler: HandlerT) -> HandlerT:
            plain = None if input_schema is not None else _plain_function(handler)
            args = input_schema_of(handler, plain.model if plain else input_schema)
            result = None if result_schema is None else schema_of(result_schema, f"the result_schema of {name}")
            model = input_schema if isinstance(input_schema, type) else annotated_model(handler)
            if plain:
                model = plain.model
            result_model = result_schema if isinstance(result_schema, type) else None
            definition = ToolDefinition(
                name=name,
                description=description or getdoc(function_of(handler)) or "",
                input_schema=args,
                result_schema=result,
                permission=permission,
                tags=frozenset(tags),
                metadata=metadata or {},
                title=title,
            )
            run = plain.run if plain else handler
            allowed = profile or ("full" if plain else "core")
            self._add([from_handler(definition, run, model=model, result_model=result_model, profile=allowed)])
            return handler

        return decorate

    def register_adapter(self, adapter: ToolAdapter, *, profile: SchemaProfile = "core") -> None:
        """Register all tools of an adapter, or none. Raises `CatalogError` as `register` does."""
        self._add(from_adapter(adapter, profile))

    def freeze(self) -> None:
        """End registration. Constructing a `Runtime` calls this."""
        self._frozen = True

    def _add(self, tools: Sequence[RegisteredTool]) -> None:
        self._check_open()
        names = [tool.definition.name for tool in tools]
        for tool in tools:
            name = tool.definition.name
            self._check_toolset(name)
            if name in self or names.count(name) > 1:
                raise CatalogError(f"{name} is already defined; names must be unique")
            unknown = sorted(tool.definition.tags - self._tags)
            if unknown:
                raise CatalogError(f"{name} has the undeclared tag {unknown[0]!r}; call declare_tag first")
        spellings = {wire_name(name): name for name in names}
        for spelling in spellings.keys() & self._spellings.keys():
            raise CatalogError(
                f"{spellings[spelling]} would have the wire name {spelling} of {self._spellings[spelling]}"
            )
        self._registered.update(zip(names, tools, strict=True))
        self._spellings.update(spellings)
        for made in ("entries", "names"):  # recomputed on next use, with these tools
            vars(self).pop(made, None)

    def _check_toolset(self, name: str) -> None:
        """Reject a tool that rules for other tools would apply to."""
        toolset = _toolset(name)
        if name in self:
            return  # reported as taken, which is more specific
        if name.partition(".")[0] in BUILTIN_TOOLSETS:
            raise CatalogError(f"{name} has the name of a built-in toolset, which is reserved; choose another")
        if toolset in self.toolsets and toolset not in self._open_toolsets:
            raise CatalogError(
                f"{name} would join the compiled toolset {toolset}, whose rules and selectors would apply to it: "
                f"choose another name, or call `open_toolset({toolset!r})` first"
            )

    def _check_open(self) -> None:
        if self._frozen:
            raise CatalogError("the catalog is frozen: register tools before a Runtime is built on it")

    def entry(self, ident: str) -> PolicyEntry:
        """Return the properties of a tool that selectors match. Raises `ToolNotFound`."""
        registered = self._registered.get(ident)
        if registered is not None:
            definition = registered.definition
            settings = definition.settings
            held_by = None if settings.roles is None else frozenset[str](settings.roles)
            hosts = settings.access.hosts_of_every_call
            tags = frozenset(definition.tags)
            return PolicyEntry(ident, _toolset(ident), tags, definition.permission, held_by, settings.confirm, hosts)
        tool = self._compiled_tool(ident)
        return PolicyEntry(
            ident=ident,
            toolset=_toolset(ident),
            tags=frozenset(tool.get("tags", ())) | {tool["permission"]},
            permission=tool["permission"],
            roles=frozenset(tool["roles"]) if "roles" in tool else None,
            confirm=tool.get("confirm", ""),
            hosts=_hosts(tool["access"]) if "access" in tool else ("*",),
        )

    def _check_known(self, ident: str) -> None:
        if ident not in self:
            raise ToolNotFound(ident, self.suggestions(ident))

    def _compiled_tool(self, ident: str) -> dict[str, Any]:
        self._check_known(ident)
        try:
            return self._compiled[ident]
        except ValueError as error:
            raise CatalogError(
                f"the catalog.json of {self._package!r} is damaged: {error}; run `toolgen build`"
            ) from None

    @property
    def _wire_names(self) -> Mapping[str, str]:
        names: Mapping[str, str] = self._document.get("wire_names", {})
        return names

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """Maps wire names to idents. Created on the first lookup by a name other than an ident."""
        return {self.wire_name(ident): ident for ident in self}


def _toolset(ident: str) -> str:
    return ident.rpartition(".")[0]


def _hosts(access: Mapping[str, Any]) -> tuple[str, ...]:
    from toolgen.spec.tool_settings import Access  # few tools name what they access

    return Access.of(access).hosts_of_every_call


def _key(ident: str) -> str:
    return ident.rpartition(".")[2]


def _python_name(type_path: str) -> str:
    """The dotted Python name of a tool, of where the type of its args lies: `shop.tools.orders.refund:…`."""
    package, _, function = type_path.partition(":")[0].rpartition(".")
    owner, _, last = package.rpartition("tools.")
    return f"{owner}{last}.{function}" if package else ""


def _plain_function(handler: Handler) -> PlainFunction | None:
    from toolgen.runtime.catalog.plain_function import plain_function  # brings what makes models

    return plain_function(handler)
