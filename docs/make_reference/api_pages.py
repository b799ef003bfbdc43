"""The reference of the public API, from its source: a page for each front door, an index, and the list of all names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from reference_folder import FOLDER

CONTRACT: Final = "toolgen.contract"
DOORS: Final[Mapping[str, str]] = {
    "toolgen.runtime": "load a catalog, make calls, decide what is allowed",
    "toolgen.execute": "run toolsets: commands, HTTP APIs, MCP servers, Python",
    "toolgen.toolsets": "give models files, commands, tasks, agents, memories and skills",
    "toolgen.llm": "show tools to a model, and read its calls",
    "toolgen.providers": "build requests of a provider by yourself",
    "toolgen.agents": "run agents, and tools that are agents",
    "toolgen.engine": "run agents that outlive a process",
    "toolgen.record": "record calls, and read the record",
    "toolgen.serve": "serve tools over MCP",
    "toolgen.explore": "tools, calls, runs and questions in a browser",
    "toolgen.testing": "test tools and agents without servers and models",
    "toolgen.evaluate": "judge the calls of models in evaluations",
    "toolgen.adapters": "use the tools in frameworks for agents",
    "toolgen.compiler": "build packages from a program",
    CONTRACT: "see what generated code imports",
}
"""The front doors, in the order of the index, and what one does with them."""

FRAMEWORKS: Final = tuple(
    sorted(
        file.stem
        for file in (FOLDER.parents[1] / "toolgen/adapters").glob("*.py")
        if file.stem not in ("__init__", "bridge")
    )
)
"""The modules of adapters."""


class Section(NamedTuple):
    """Names of a front door that are defined in one module."""

    origin: str
    names: tuple[str, ...]


def api_pages() -> dict[str, str]:
    """Return the pages of the public API, and the file that lists it, by their paths in the reference."""
    pages = {f"api/{door.rpartition('.')[2]}.md": _page(door) for door in DOORS}
    return {"api/index.md": _index(), **pages, "public-api.txt": _listing()}


def _index() -> str:
    parts = [
        (FOLDER / "api/index.intro.md").read_text(encoding="utf-8").rstrip(),
        "| import from | to |\n| --- | --- |",
    ]
    parts[-1] += "".join(f"\n| [`{door}`]({door.rpartition('.')[2]}.md) | {use} |" for door, use in DOORS.items())
    names = {
        name: door
        for door in DOORS
        if door not in (CONTRACT, "toolgen.adapters")
        for section in sections_of(door)
        for name in section.names
    }
    listed = (
        f"[`{name}`]({names[name].rpartition('.')[2]}.md#{name.lower()})" for name in sorted(names, key=str.lower)
    )
    return "\n\n".join([*parts, "## All names", ", ".join(listed)]) + "\n"


def _page(door: str) -> str:
    parts = [f"# `{door}`", ast.get_docstring(_module(door)) or ""]
    for section in sections_of(door):
        text = ast.get_docstring(_module(section.origin)) or ""
        is_framework = door == "toolgen.adapters"
        parts += [f"## `{section.origin}`" if is_framework else f"## {_title(text)}", text]
        for name in section.names:
            node, docstring = _definition(section.origin, name)
            if door == CONTRACT:
                first, _, _ = docstring.partition("\n\n")
                parts.append(f"`{name}`: {first}")
            else:
                parts += _name_entry(name, node, docstring)
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(docstring: str) -> str:
    """Return what a module is about, as a heading: what its docstring says before the first colon or full stop."""
    line = docstring.partition("\n")[0]
    return min(line.partition(mark)[0] for mark in (":", ". ", ".") if mark in line)


@cache
def sections_of(door: str) -> tuple[Section, ...]:
    """Return the names of a front door by the modules that define them, in the order of its table."""
    if door == "toolgen.adapters":
        modules = [f"{door}.{framework}" for framework in FRAMEWORKS]
        return tuple(Section(module, _exported(_module(module))) for module in modules)
    (table,) = (node for node in ast.walk(_module(door)) if isinstance(node, ast.Dict))
    origins: dict[str, str] = ast.literal_eval(table)
    found: dict[str, list[str]] = {}
    for name, origin in origins.items():
        found.setdefault(door + origin if origin.startswith(".") else origin, []).append(name)
    return tuple(Section(origin, tuple(names)) for origin, names in found.items())


def _exported(tree: ast.Module) -> tuple[str, ...]:
    (names,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    return tuple(names)


# The list of all names: one line for each, so that a change of the public API is a line in review.


def _listing() -> str:
    lines = [
        "# Every public name, with its kind and signature, made by `make docs`. A change of this file changes the API."
    ]
    known = {name for section in sections_of("toolgen.runtime") for name in section.names}
    for door in DOORS:
        for section in sections_of(door):
            module = section.origin if door == "toolgen.adapters" else door
            for name in sorted(section.names):
                if door == CONTRACT and name in known:
                    lines.append(f"{module}.{name}: as in toolgen.runtime")
                else:
                    lines += _lines(f"{module}.{name}", name, _definition(section.origin, name)[0])
    return "\n".join(lines) + "\n"


def _lines(path: str, name: str, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        yield f"{path}: class {_on_one_line(_class_signature(node))}"
        has_init = any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body)
        is_dataclass = any("dataclass" in ast.unparse(each) for each in node.decorator_list)
        for each in node.body:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and not each.name.startswith("_"):
                yield f"{path}.{each.name}: {_on_one_line(_member(each.name, each))}"
            elif isinstance(each, ast.AnnAssign) and not is_dataclass and not ast.unparse(each.target).startswith("_"):
                is_slot = has_init and each.value is None
                yield f"{path}.{ast.unparse(each.target)}: {'attribute' if is_slot else 'field'} {_field(each)}"
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield f"{path}: function {_on_one_line(_signature(name, node))}"
    elif isinstance(node, ast.AnnAssign):
        kind = "type" if "TypeAlias" in ast.unparse(node.annotation) else "constant"
        yield f"{path}: {kind} {ast.unparse(node.value) if node.value else ast.unparse(node.annotation)}"
    else:
        yield f"{path}: {ast.unparse(node)}"


def _member(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if any("property" in ast.unparse(decorator) for decorator in node.decorator_list):
        return f"property {name}: {ast.unparse(node.returns) if node.returns else 'Any'}"
    return f"method {_signature(name, node, is_method=True)}"


def _on_one_line(signature: str) -> str:
    return signature.replace("(\n    ", "(").replace(",\n)", ")").replace("\n    ", " ").replace("\n", " ")


# Entries of pages: signatures and docstrings from the syntax trees of modules.


@cache
def _module(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec
    assert spec.origin
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _defined(tree: ast.Module) -> dict[str, tuple[ast.stmt, str]]:
    """Return the public definitions of a module: classes, functions and annotated names, with their texts."""
    found: dict[str, tuple[ast.stmt, str]] = {}
    for node, text in _with_text(tree.body):
        name = node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ""
        name = node.name if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else name
        if name and not name.startswith("_"):
            found[name] = (node, text)
    return found


def _with_text(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each statement and its docstring, which for an assignment is the text below it."""
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, ast.get_docstring(node) or ""
        elif isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield node, str(after.value.value)
        else:
            yield node, ""


def _definition(module: str, name: str) -> tuple[ast.stmt, str]:
    """Find where a name is defined, through the modules that it is imported from."""
    tree = _module(module)
    defined = _defined(tree)
    if name in defined:
        return defined[name]
    homes = (
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and name in {alias.name for alias in node.names}
    )
    return _definition(next(homes), name)


def _name_entry(name: str, node: ast.stmt, text: str) -> list[str]:
    parts = [f"### `{name}`"]
    if isinstance(node, ast.ClassDef):
        parts += [_block([_class_signature(node)]), text, *_methods(node)]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        parts += [_block([_signature(name, node)]), text]
    elif isinstance(node, ast.AnnAssign) and node.value:
        parts += [_block([f"{name} = {ast.unparse(node.value)}"]), text]
    return [part for part in parts if part]


def _class_signature(node: ast.ClassDef) -> str:
    made = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if made:
        return _signature(node.name, made, is_method=True)
    members = [each for each in node.body if isinstance(each, ast.Assign)]
    if members:  # an enum
        return "\n".join(f"{node.name}.{ast.unparse(each)}" for each in members)
    own = [each for each in node.body if isinstance(each, ast.AnnAssign)]
    how = " ".join(ast.unparse(each) for each in node.decorator_list)
    if how.startswith("dataclass"):
        keywords = ["*"] if own and "kw_only=True" in how else []
        return _called(node.name, [*keywords, *(_field(each) for each in own)])
    return f"class {node.name}({', '.join(ast.unparse(each) for each in node.bases)})"


def _field(node: ast.AnnAssign) -> str:
    shown = f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}"
    if node.value is None:
        return shown
    default = ast.unparse(node.value)
    if default.startswith("field("):
        default = "{}" if "default_factory=dict" in default else "..."
    elif default.startswith("cast("):  # a placeholder for a value
        default = "..."
    return f"{shown} = {default}"


def _methods(node: ast.ClassDef) -> Iterable[str]:
    for each, text in _with_text(node.body):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and not each.name.startswith("_"):
            name, returns = f"{node.name}.{each.name}", ast.unparse(each.returns) if each.returns else "Any"
            is_property = any("property" in ast.unparse(decorator) for decorator in each.decorator_list)
            yield f"#### `{name}`"
            yield _block([f"{name}: {returns}" if is_property else _signature(name, each, is_method=True)])
            yield text


def _signature(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool = False) -> str:
    args = node.args
    given = [*args.posonlyargs, *args.args]
    none: list[ast.expr | None] = [None] * (len(given) - len(args.defaults))
    shown = [_parameter(each, default) for each, default in zip(given, [*none, *args.defaults], strict=True)]
    if args.posonlyargs:
        shown.insert(len(args.posonlyargs), "/")
    if is_method and not any(ast.unparse(each) == "staticmethod" for each in node.decorator_list):
        shown = shown[1:]
    if args.vararg:
        shown.append(f"*{_parameter(args.vararg, None)}")
    elif args.kwonlyargs:
        shown.append("*")
    shown += [_parameter(each, default) for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    return ("async " if isinstance(node, ast.AsyncFunctionDef) else "") + _called(name, shown, returns)


def _parameter(node: ast.arg, default: ast.expr | None) -> str:
    shown = f"{node.arg}: {ast.unparse(node.annotation)}" if node.annotation else node.arg
    return shown if default is None else f"{shown} = {ast.unparse(default)}"


def _called(name: str, parameters: list[str], returns: str = "") -> str:
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {each},\n" for each in parameters) + f"){returns}"


def _block(lines: list[str]) -> str:
    return "```text\n" + "\n".join(lines) + "\n```"
