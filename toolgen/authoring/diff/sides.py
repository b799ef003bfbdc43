"""Sides: the two versions that are compared, from specs, commits, folders and packages."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from toolgen.authoring.diff.git import DiffError, NoRepository, Repository, SpecsError
from toolgen.changes.rules import Change
from toolgen.compiler.compile import compile_specs, outputs_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.emit import emit_new
from toolgen.compiler.emit.catalog_json import emit_catalog_json
from toolgen.compiler.ir.text import toolset_text
from toolgen.compiler.project.config import OWN_FILE, PROJECT_FILE, load_config
from toolgen.compiler.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from toolgen.compiler.source.read import parse, parse_source
from toolgen.compiler.source.split import SplitText, split_tools
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.packages import parse_package
from toolgen.runtime.catalog.catalog import Catalog
from toolgen.schema.json_values import value_of
from toolgen.schema.references import pointer_of
from toolgen.spec.files import read_file_inside
from toolgen.spec.text import visible
from toolgen.spec.tool_settings import KEYS, ToolSettings

if TYPE_CHECKING:
    from toolgen.changes.rules import Path as CatalogPath
    from toolgen.compiler.cache.derived import OutputCache
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.emit import Unit
    from toolgen.compiler.ir.catalog import Catalog as CompiledCatalog
    from toolgen.compiler.project.cache import Cache
    from toolgen.compiler.project.config import Config

_MOST_LINKS: Final = 10
"""How often links are followed that lead to others."""

_LARGEST: Final = 256 * 1024 * 1024
_CATALOG: Final = "catalog.json"
_LOCK: Final = "toolgen.lock"
_EMPTY: Final = b'{"toolsets": {}, "tools": {}, "contract": 1}'


@dataclass(frozen=True)
class Package:
    """One package of a version. `text` is that of its `catalog.json`.

    `sources` returns the Python modules of the package by path, at least those of the given toolsets and of what uses
    them. `fingerprints` are equal for toolsets with equal Python; None where only the modules themselves tell.
    `places` finds parts of the catalog in specs, and is None where there are none.
    """

    text: bytes
    sources: Callable[[Collection[str]], Mapping[str, str]]
    fingerprints: Mapping[str, str] | None = None
    places: _Places | None = None

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The whole `catalog.json`."""
        document: Mapping[str, Any] = json.loads(self.text)
        return document

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog as a runtime has it."""
        return Catalog(text=self.text)


@dataclass(frozen=True, slots=True)
class Side:
    """One version: its packages by their output folder, and the texts of its specs by path.

    `label` says what it is: `the working tree`, `main (1a2b3c4)`. `prefix` comes before paths of its specs in messages.
    `is_named` is false for a package that was read from a folder of its own, and stands for any target.
    """

    label: str
    packages: Mapping[str, Package]
    prefix: str = ""
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    is_named: bool = True


NOTHING: Final = Package(_EMPTY, lambda _toolsets: {}, {})
"""The package of a target that a version does not have."""


def working_tree(config: Config, cache: Cache | None = None) -> Side:
    """Compile the specs of a project; toolsets that `cache` has are not compiled again. Raises SpecsError."""
    return _compiled(config, "the working tree", cache=cache)


def commit_of(config: Config, against: str) -> str | None:
    """Return the commit that `other_side` reads, if it reads one. Raises DiffError."""
    return None if _is_path(against) else _commit(config, against, is_needed=not against)


@contextmanager
def other_side(config: Config, against: str, cache: Cache | None = None) -> Generator[Side]:
    """Read the version to compare a project with: a commit, a folder or a package; empty for the default branch.

    What `cache` has of a commit or a folder is not compiled again.
    Raises DiffError if there is none of that name, SpecsError if its specs have errors, and ConfigError.
    """
    folder = _folder(config, against)
    commit = commit_of(config, against)
    if folder is not None and commit is not None:
        raise DiffError(f"`{against}` is a commit and a folder: write `./{against}`, or the whole name of the branch")
    if folder is not None:
        yield _of_folder(folder, against, config, cache)
    elif commit is not None:
        with TemporaryDirectory(prefix="toolgen-diff-") as place:
            yield _of_commit(config, commit, against, Path(place), cache)
    elif (found := _package_folder(against, [str(config.root)])) is not None:
        yield _of_package(found, f"the package {against}", found.name)
    else:
        raise DiffError(
            f"`{against}` is no commit of a git repository here, no folder and no package that can be found"
        )


def _is_path(against: str) -> bool:
    return against.startswith((".", "/")) or Path(against).is_absolute()


def _folder(config: Config, against: str) -> Path | None:
    folder = config.root / against
    return folder if against and os.path.isdir(folder) else None  # noqa: PTH112  # raises nothing for a long name


def _commit(config: Config, against: str, *, is_needed: bool) -> str | None:
    try:
        repository = Repository(config.root)
    except NoRepository:
        if is_needed:
            raise
        return None
    return repository.commit(against) if against else repository.default_commit()


def _of_commit(config: Config, commit: str, against: str, place: Path, cache: Cache | None) -> Side:
    repository = Repository(config.root)
    short = repository.describe(commit)
    name = against or short
    repository.extract(commit, (OWN_FILE, PROJECT_FILE), place)
    then = load_config(place)
    wanted = {target.specs for target in then.targets}
    for _ in range(_MOST_LINKS):
        repository.extract(commit, sorted(wanted), place)
        wanted = _behind_links(place)
        if not wanted:
            break
    else:
        raise DiffError(f"links of the commit {short} lead to links, more than {_MOST_LINKS} times")
    label = f"the commit {short}" if not against or against.startswith(short) else f"{against} ({short})"
    there = tuple(target for target in then.targets if (place / target.specs).exists())
    if not there:
        moved = repository.moved_projects(commit, (OWN_FILE, _LOCK))
        if moved:
            raise DiffError(
                f"{label} has no `{then.targets[0].specs}` here, but a project or its package in "
                f"`{visible(moved[0])}`, which is gone from there: `git worktree add ../before {short}`, and compare "
                "with that folder, `--against DIR`"
            )
        label = f"{label}, which has no specs"
    return _compiled(replace(then, targets=there), label, f"{name}:", cache)


def _behind_links(place: Path) -> set[str]:
    """Return where links lead that lead to nothing yet, relative to the folder; not those that lead out of it."""
    root = place.resolve()
    links = (each for each in root.rglob("*") if each.is_symlink() and not each.exists())
    ends = {Path(os.path.realpath(each)) for each in links} - {root}  # `resolve` raises for a link to itself
    return {str(each.relative_to(root)) for each in ends if each.is_relative_to(root) and not os.path.lexists(each)}


def _of_folder(folder: Path, against: str, own: Config, cache: Cache | None) -> Side:
    is_package = (folder / _CATALOG).is_file() and not (folder / OWN_FILE).exists()
    if is_package:
        inside = folder.resolve().is_relative_to(own.root.resolve())
        name = folder.resolve().relative_to(own.root.resolve()).as_posix() if inside else folder.name
        return _of_package(folder, f"the package in {against}", name)
    config = load_config(folder)
    missing = [target.specs for target in config.targets if not (folder / target.specs).exists()]
    if missing:
        raise DiffError(f"the folder {against} is no project and no generated package: it has no `{missing[0]}`")
    return _compiled(config, against, f"{against.rstrip('/')}/", cache)


def _compiled(config: Config, label: str, prefix: str = "", cache: Cache | None = None) -> Side:
    packages: dict[str, Package] = {}
    sources: dict[str, str] = {}
    for target in config.targets:
        sink = Diagnostics()
        compiled = compile_specs(config.root, target, sink, cache=cache)
        sources.update(compiled.sources)
        if sink.has_errors:
            raise SpecsError(f"the specs of {label} have errors", tuple(sink), compiled.sources)
        outputs = outputs_of(compiled, target, cache) if cache else None
        packages[target.out] = package_of(compiled.catalog, compiled.sources, outputs)
    return Side(label, packages, prefix, sources)


def package_of(catalog: CompiledCatalog, sources: Mapping[str, str], outputs: OutputCache | None = None) -> Package:
    """Return the package that a catalog compiles to; its modules are generated when they are read.

    What `outputs` has is not generated again.
    """
    units: Mapping[str, Sequence[Unit]] = outputs.units if outputs else {}

    def emitted(toolsets: Collection[str]) -> Mapping[str, str]:
        chosen = tuple(each for each in catalog.toolsets if each.name in toolsets)
        wanted = {name: units[name] for name in toolsets if name in units}
        known = outputs.known(wanted) if outputs else {}
        patterns = outputs.patterns() if outputs else {}
        files, _ = emit_new(replace(catalog, toolsets=chosen), (), units=wanted, known=known, patterns=patterns)
        for output in known.values():
            files.update(output.files)
        return {path: text for path, text in files.items() if path.endswith(".py")}

    users = [
        (agent, name)
        for agent in catalog.agents
        for name in (*agent.uses, *(f"export {each}" for each in agent.export))
    ]
    fingerprints = {
        toolset.name: "\n".join(
            [
                units[toolset.name][0].key if toolset.name in units else toolset_text(toolset),
                *(f"{'.'.join(agent.package)} {name}" for agent, name in users if name.split()[-1] == toolset.name),
            ]
        )
        for toolset in catalog.toolsets
    }
    return Package(emit_catalog_json(catalog).encode(), emitted, fingerprints, _Places(catalog, sources))


def _of_package(folder: Path, label: str, name: str) -> Side:
    try:
        text = read_file_inside(folder / _CATALOG, folder, _LARGEST)
    except OSError as error:
        raise DiffError(f"{label} has no {_CATALOG} that can be read: {error.strerror}") from None
    if damage := damage_of(text):
        raise DiffError(f"{label} cannot be read: its {_CATALOG} is damaged: {damage}")
    package = Package(text, lambda _toolsets: _modules(folder))
    try:
        parse_package(text, folder.name)
        package.catalog.entries  # noqa: B018  # reads every entry
    except CatalogError as error:
        raise DiffError(f"{label} cannot be read: {error}") from None
    return Side(label, {name: package}, is_named=False)


def _modules(folder: Path) -> dict[str, str]:
    """Read the modules of a package, without running them."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        try:
            found[name] = read_file_inside(path, folder, _LARGEST).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise DiffError(f"{name} of the package in {folder} cannot be read: {error}") from None
    return found


def _package_folder(name: str, places: list[str]) -> Path | None:
    """Return the folder of a package by its import name; nothing of it is imported."""
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    top, *rest = name.split(".")
    spec = PathFinder.find_spec(top, places) or PathFinder.find_spec(top)
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place).joinpath(*rest)
        if (folder / _CATALOG).is_file():
            return folder
    return None


def pairs(before: Side, after: Side) -> list[tuple[str, Package, Package]]:
    """Return the packages to compare, with the name of each. A package of its own is compared with the only target."""
    if not before.is_named:
        ((name, package),) = before.packages.items()
        named = [each for each in after.packages if name in (each, each.rpartition("/")[2])]
        named = [each for each in named if each == name] or named
        chosen = list(after.packages) if len(after.packages) == 1 else named
        if len(chosen) != 1:
            known = ", ".join(f"`{each}`" for each in after.packages)
            raise DiffError(f"{before.label} is of no target of the project: they are {known}")
        return [(chosen[0], package, after.packages[chosen[0]])]
    if (folders := _only_folders(before, after)) is not None:
        return [(folders[1], before.packages[folders[0]], after.packages[folders[1]])]
    outs = dict.fromkeys((*before.packages, *after.packages))
    return [(out, before.packages.get(out, NOTHING), after.packages.get(out, NOTHING)) for out in outs]


def moved(before: Side, after: Side) -> Change | None:
    """Return the change of a project whose only package has another output folder now; None for all others."""
    folders = _only_folders(before, after)
    if folders is None or folders[0] == folders[1]:
        return None
    old, new = folders
    return Change(code="CODE101", subject=old, message=f"the package is in `{new}` now", before=old, after=new)


def _only_folders(before: Side, after: Side) -> tuple[str, str] | None:
    """Return the output folders of two projects with one package each."""
    if not before.is_named or len(before.packages) != 1 or len(after.packages) != 1:
        return None
    return next(iter(before.packages)), next(iter(after.packages))


# Places: where the parts of a compiled catalog stand in its specs.

_LOCAL: Final = "#/types/"


class _Places:
    """Finds the span of a path of a catalog in the specs that it was compiled from."""

    def __init__(self, catalog: CompiledCatalog, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._roots: dict[str, Node | None] = {}
        self._splits: dict[str, SplitText | None] = {}
        self._with_tools: dict[tuple[str, str], Node | None] = {}
        self._spans: dict[tuple[str, str], Span] = {
            **{("toolsets", each.name): each.span for each in catalog.toolsets},
            **{("agents", each.name): each.span for each in catalog.agents},
            **{("catalogs", each.name): each.span for each in catalog.catalogs},
            **{("policies", each.name): each.span for each in catalog.policies},
        }
        self._tools = {tool.ident: tool for toolset in catalog.toolsets for tool in toolset.tools}

    def span(self, path: CatalogPath) -> Span | None:
        """Return the span of the key at a path, or of its nearest parent that is in a spec; None if there is none."""
        section, *rest = path or ("",)
        if section == "tools" and rest:
            return self._of_tool(rest[0], rest[1:])
        found = self._spans.get((section, rest[0])) if rest else None
        if found is None or len(rest) < 2:
            return found
        root = self._root(found.file)
        return root.key_span(rest[1]) if isinstance(root, MappingNode) and root.get(rest[1]) else found

    def _of_tool(self, ident: str, steps: Sequence[str]) -> Span | None:
        tool = self._tools.get(ident)
        if tool is None:
            return None
        root = self._with_tool(tool.span.file, tool.key)
        node = root.at(("tools", tool.key)) if root else None
        if not steps or not isinstance(node, MappingNode):
            return tool.span
        known = KEYS.get(steps[0])
        key = known.spec if known and known.spec else steps[0]
        inner = node.get(key)
        if inner is None or root is None:
            return tool.span
        return _in_schema(inner, node.key_span(key), steps[1:], root)

    def _with_tool(self, file: str, key: str) -> Node | None:
        """Return the nodes of a file, of a large one without other tools."""
        if (file, key) not in self._with_tools:
            self._with_tools[file, key] = self._read_with_tool(file, key)
        return self._with_tools[file, key]

    def _read_with_tool(self, file: str, key: str) -> Node | None:
        if file not in self._splits:
            self._splits[file] = split_tools(file, self._sources.get(file, ""))
        split = self._splits[file]
        if split is None or key not in split.tools:
            return self._root(file)
        sink = Diagnostics()
        spec = parse_source(split.only([key]), sink)
        return self._root(file) if spec is None or sink else spec.root

    def _root(self, file: str) -> Node | None:
        if file not in self._roots:
            text = self._sources.get(file)
            self._roots[file] = None if text is None else parse(text, file, Diagnostics())
        return self._roots[file]


def _in_schema(node: Node, span: Span, steps: Sequence[str], root: Node) -> Span:
    """Return the span of a part of a written schema, which may be in the short form."""
    steps = list(steps)
    visited = set[str]()
    while True:
        named = _type_name(node)
        target = root.at(("types",)).child(named) if named and named not in visited else None
        if target is not None and steps:
            visited.add(named)
            node = target
            continue
        if not steps:
            return span
        step = steps.pop(0)
        if step in ("$defs", "definitions") and steps:
            types, name = root.child("types"), steps.pop(0)
            inner = types.child(name) if types else None
            if inner is None or not isinstance(types, MappingNode):
                return span
            node, span = inner, types.key_span(name)
            continue
        if step == "properties" and isinstance(node, MappingNode) and node.get("properties") is None:
            continue  # the short form: fields stand in the mapping itself
        if step == "items" and isinstance(node, SequenceNode):
            step = "0"
        key = _written(node, step)
        inner = node.child(key)
        if inner is None:
            return span
        span = node.key_span(key) if isinstance(node, MappingNode) else inner.span
        node = inner


def _written(node: Node, name: str) -> str:
    """Return the key of a field as it is written: `name`, `name?` or `name!`."""
    if isinstance(node, MappingNode):
        return next((key for key in (name, f"{name}?", f"{name}!") if node.get(key) is not None), name)
    return name


def _type_name(node: Node) -> str:
    """Return the local type that a schema refers to; empty if it refers to none."""
    if isinstance(node, ScalarNode) and isinstance(node.value, str):
        return node.value
    reference = node.child("$ref") if isinstance(node, MappingNode) else None
    if isinstance(reference, ScalarNode) and isinstance(reference.value, str) and reference.value.startswith(_LOCAL):
        return reference.value.removeprefix(_LOCAL)
    return ""


# Damage of a `catalog.json` that is read from a package: what is not of the form that the compiler writes.

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_FLAG: Final = {"type": "boolean"}
_OBJECT: Final = {"type": "object"}
_SCHEMA: Final = {"type": ["object", "boolean"]}


def _list(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _each(entry: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": entry}


def _record(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **optional}}


def _keys(schema: Any, *names: str) -> dict[str, Any]:
    return dict.fromkeys(names, schema)


_TEXTS: Final = _list(_TEXT)
_ANSWERS: Final = _each({"enum": ["allow", "ask", "deny", "exclude"]})
_TOOLSET: Final = _record(
    _keys(_TEXT, "kind", "package"),
    {**_keys(_TEXT, "description", "exported_by"), "server": _OBJECT, "has_handlers": _FLAG},
)


def _form(kind: Any) -> dict[str, Any]:
    """Return the form of a value of a type in a catalog."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _list(_form(parts[0]))
    if origin in (Union, UnionType):
        return {"anyOf": [_form(part) for part in parts if part is not NoneType]}
    if is_dataclass(kind):
        required = {each.name for each in fields(kind) if each.default is each.default_factory is MISSING}
        forms = _forms(kind)
        return {**_record({name: forms[name] for name in required}, forms), "additionalProperties": False}
    return _OBJECT if origin is Mapping else _TEXT if origin is Literal else _SCALARS.get(kind, {})


def _forms(record: Any) -> dict[str, Any]:
    return {name: _form(hint) for name, hint in get_type_hints(record, localns={"Mapping": Mapping}).items()}


_SCALARS: Final[Mapping[Any, dict[str, Any]]] = {str: _TEXT, bool: _FLAG, int: _NUMBER, float: _NUMBER}
_TOOL: Final = _record(
    {**_keys(_TEXT, "permission", "description", "title"), **_keys(_SCHEMA, "args", "result")},
    {
        **_keys(_TEXT, "args_type", "result_type"),
        "tags": _TEXTS,
        **_forms(ToolSettings),
        "server_data": _each(_SCHEMA),
    },
)
_AGENT: Final = _record(
    _keys(_TEXT, "package"),
    {**_keys(_TEXT, "description", "role", "system"), **_keys(_TEXTS, "use", "on_request", "suggest", "export")},
)
_ACTION: Final = _record(_keys(_TEXT, "target"), {"schema": _SCHEMA})
_NAME: Final = {"type": "string", "pattern": "^(?!.*__).*[^_]$"}
_CATEGORY: Final = _record(
    {"name": _NAME, "description": _TEXT},
    {
        "formerly": _list(_NAME),
        "actions": {**_each(_ACTION), "propertyNames": {"minLength": 1}},
        "resource": _ACTION,
        "invoke": _TEXT,
    },
)
_FORM_OF_CATALOG: Final = _record(
    {"categories": _list(_CATEGORY), "module": _TEXT},
    {
        "prompt": _TEXT,
        "hot_list_size": _NUMBER,
        "hot_list_seeds": _TEXTS,
        "mandates": _list(_OBJECT),
    },
)
_POLICY: Final = _record(
    {},
    {
        **_keys(_ANSWERS, "rules", "network"),
        **_keys(_each(_ANSWERS), "roles", "modes"),
        **_keys(_TEXTS, "registered", "write_roots", "sensitive", "env"),
        "tmp": _FLAG,
        "hard_links": _FLAG,
        "limits": _each(_NUMBER),
        "on_permission_deny": _TEXT,
        "approvers": _each(_record({}, {"user": _FLAG, "roles": _TEXTS, "people": _NUMBER})),
    },
)
_FORM: Final = _record(
    {"toolsets": _each(_TOOLSET), "tools": _each(_TOOL)},
    {
        "agents": _each(_AGENT),
        "catalogs": _each(_FORM_OF_CATALOG),
        "policies": _each(_POLICY),
        **_keys(_each(_TEXT), "tags", "wire_names"),
        **_keys(_TEXT, "formats", "generator"),
    },
)


def damage_of(text: bytes) -> str:
    """Return the first part of a `catalog.json` that is damaged, and how; empty if there is none."""
    from jsonschema_rs import validator_for  # imported on use: it takes 15 ms

    try:
        document = value_of(text)
    except (ValueError, RecursionError) as error:
        return f"it is not JSON: {error}"
    found = next(validator_for(_FORM).iter_errors(document), None)
    if found is not None:
        return f"at `{pointer_of(found.instance_path)}`: {found.message[:200]}"
    homeless = next(
        (ident for ident in document["tools"] if ident.rpartition(".")[0] not in document["toolsets"]), None
    )
    return "" if homeless is None else f"at `{pointer_of(['tools', homeless])}`: there is no such toolset"
