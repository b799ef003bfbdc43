"""Writes `docs/reference/` from what it is about: models, tables, commands, and the runtime's source. `make docs`."""

from __future__ import annotations

import ast
from dataclasses import MISSING, fields
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolgen.runtime
from toolgen.cli import COMMANDS
from toolgen.compiler.config import BUILTIN_TOOLSETS, Config, Target
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.documents import action_catalog, agent, policy, shared, toolset
from toolgen.contract.tool_use import DEFAULT_SCHEMES, LAYERS, LEXICAL, SCHEMES
from toolgen.providers.table import PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic import BaseModel

FOLDER = Path(__file__).resolve().parent / "reference"
FILES: list[tuple[str, type[BaseModel], list[type[BaseModel]]]] = [
    (
        "Toolset file",
        toolset.ToolsetFile,
        [
            toolset.ToolSpec,
            toolset.AccessSpec,
            toolset.LimitsSpec,
            toolset.TagSpec,
            toolset.CommandSpec,
            toolset.HintsSpec,
            toolset.BoundedSpec,
            toolset.ExampleSpec,
            toolset.MethodSpec,
            toolset.ServerSpec,
        ],
    ),
    ("Agent file", agent.AgentFile, []),
    (
        "Catalog file",
        action_catalog.CatalogFile,
        [
            action_catalog.CategorySpec,
            action_catalog.ActionSpec,
            action_catalog.SearchSpec,
            action_catalog.MandateSpec,
            action_catalog.HotListSpec,
        ],
    ),
    ("Policy file", policy.PolicyFile, [policy.PathsSpec, policy.PolicyLimitsSpec]),
    ("Shared file", shared.SharedFile, []),
]


HEADINGS = {each.__name__: each.__name__.removesuffix("Spec").lower() for _, _, below in FILES for each in below} | {
    "HotListSpec": "hot_list",
    "PolicyLimitsSpec": "limits of a policy",
    "MethodReference": "method",
    "ToolDefaultsSpec": "tool",
}
"""Where each model has its section. A model without one is written out where it is used."""

SETTINGS: dict[type[Any], dict[str, tuple[str, str]]] = {
    Config: {
        "targets": ("array of tables", "The packages to build, each with the keys below."),
        "executors": ("table", "Toolset to its handlers, as `module:name`: what `toolgen call` runs."),
    },
    Target: {
        "specs": ("text", "The folder with the specs, relative to the project."),
        "out": ("text", "The folder of the package. Its last part is the name that programs import."),
        "formats": ("`annotate` `assert`", "Whether JSON Schema's `format` only describes a value, or is checked."),
        "profile": ("`full` `core`", "The schemas that tools may have: all, or those that every provider takes."),
        "builtin": (
            f"list of {' '.join(f'`{toolset}`' for toolset in BUILTIN_TOOLSETS)}",
            "The toolsets that come with toolgen and are compiled with the project's own.",
        ),
        "export": (
            f"list of {' '.join(f'`{name}`' for name in PROVIDERS)}",
            "The providers whose payloads of all tools are written with the package, as `providers/<name>.json`.",
        ),
    },
}
"""The keys of the configuration: type and meaning."""

SCHEME_NAMES = " ".join(f"`{scheme}`" for scheme in SCHEMES)

TOOL_USE: dict[str, tuple[str, str, str]] = {
    **{
        f"tool_use.{layer}": (
            SCHEME_NAMES,
            f"`{DEFAULT_SCHEMES[layer]}`",
            f"How models of the layer `{layer}` are shown the tools.",
        )
        for layer in LAYERS
    },
    "tool_use.catalog": (
        "text",
        "the only one",
        "The action catalog. Where no file is one, every toolset is a category.",
    ),
    "action_retrieval.embedding_class": (
        f"`{LEXICAL}`, or one of `classes`",
        "-",
        "What searches rank by. Without one there is no search, and no `retrieval`.",
    ),
    "action_retrieval.classes": (
        "tables by name",
        "-",
        "Embedding classes: each has `url`, `model`, `key_variable` and `timeout_seconds`, or `path`, or `function`.",
    ),
    "action_retrieval.base": ("list of idents", "-", "Tools that `retrieval` shows from the first."),
    "action_retrieval.hot_list_n": (
        "integer",
        "the catalog's",
        "How many actions that were used a lot are listed first.",
    ),
    "action_retrieval.universal_wrappers_enabled": (
        "true or false",
        "true",
        "`false` is another way to say `enumerate-all` in the layers that are left out.",
    ),
    "router_model": ("`light` `strong`", "-", "The tier of the model: mandates of catalogs are for some tiers."),
    "settings": ("texts by name", "-", "What the conditions (`needs`) of catalogs look at, such as `sandbox_backend`."),
}
"""The settings of tool use: type, default and meaning. Programs read them with `read_tool_use`."""

NO_SETTINGS = ("root", "file", "tool_use")
"""What `Config` holds of the project beside its keys."""

PUBLIC: dict[str, tuple[str, ...]] = {
    "toolgen.runtime": tuple(dir(toolgen.runtime)),
    "toolgen.runtime.permission": (),
    "toolgen.runtime.terminal": ("TerminalPrompt",),
    "toolgen.runtime.policy": ("Policies", "Answer", "Judgement", "Reason"),
    "toolgen.runtime.errors": (),
    "toolgen.runtime.checked_call": (),
    "toolgen.runtime.hooks": (),
    "toolgen.runtime.gate": (),
    "toolgen.runtime.registration": ("Handler", "Profile"),
    "toolgen.runtime.user_tools": ("load_user_tools",),
    "toolgen.runtime.run": ("Run", "Session", "Progress", "Grant", "Scope"),
    "toolgen.runtime.children": ("Child", "start_child"),
    "toolgen.runtime.executors.command": ("CommandHost", "executor"),
    "toolgen.runtime.executors.agent": ("executor", "AgentRun", "Message", "Outcome", "RunAgent", "run_to_end"),
    "toolgen.runtime.paths.policy": ("PathPolicy", "PathAnswer", "Concern"),
    "toolgen.runtime.counters.protocol": (),
    "toolgen.runtime.counters.memory": ("MemoryCounters",),
    "toolgen.runtime.counters.redis": ("RedisCounters",),
    "toolgen.runtime.stores.protocol": (),
    "toolgen.runtime.stores.records": (),
    "toolgen.runtime.stores.memory": ("MemoryStore",),
    "toolgen.runtime.stores.sqlite": ("SqliteStore",),
    "toolgen.runtime.stores.chain": ("ChainKey", "ChainError", "Head", "Chain", "Finding", "verify"),
    "toolgen.runtime.stores.calls": (),
    "toolgen.runtime.artifacts": ("Artifacts", "Artifact", "ArtifactError", "ArtifactNotFound"),
    "toolgen.runtime.tool_use": (
        "ToolUse",
        "Conversation",
        "Turn",
        "read_tool_use",
        "ToolUseConfig",
        "ToolUseError",
        "system_prompt",
        "Resource",
        "HotList",
    ),
    "toolgen.contract.messages": (),
    "toolgen.providers.protocol": (
        "Provider",
        "Payload",
        "Problem",
        "Difference",
        "UnsupportedCapability",
        "MalformedResponse",
    ),
    "toolgen.runtime.presentations.protocol": (),
    "toolgen.contract.actions": ("ActionTables", "ActionRule", "ResolvedAction", "UnknownActionError", "ArgsNotMapped"),
    "toolgen.runtime.presentations.tags": (
        "ToolDef",
        "ToolContext",
        "TagHandler",
        "TagRegistry",
        "TagGate",
        "tool_defs",
        "prompt_block",
        "parse_response",
        "Reply",
        "TagCall",
        "run_tags",
        "TagTurn",
    ),
    "toolgen.contract.records": (),
}
"""The modules that hosts may import from, and their names; without any, all that a module defines."""


def pages() -> dict[str, str]:
    """Every generated page, by file name."""
    return {
        "specs.md": specs_page(),
        "configuration.md": configuration_page(),
        "runtime.md": runtime_page(),
        "diagnostics.md": diagnostics_page(),
        "commands.md": commands_page(),
    }


def specs_page() -> str:
    """The keys of every kind of file; the prose on schemas and small languages comes from `specs.intro.md`."""
    parts = [(FOLDER / "specs.intro.md").read_text(encoding="utf-8").rstrip()]
    for title, model, below in FILES:
        parts.append(f"## {title}\n\n{_summary(model)}\n\n{_table(model)}")
        parts += [f"### {_heading(each.__name__)}\n\n{_summary(each)}\n\n{_table(each)}" for each in below]
    return "\n\n".join(parts) + "\n"


def configuration_page() -> str:
    """The keys of the configuration; the prose and the examples come from `configuration.intro.md`."""
    parts = [(FOLDER / "configuration.intro.md").read_text(encoding="utf-8").rstrip()]
    for title, model in (("Keys", Config), ("A target", Target)):
        rows = ["| key | type | default | |", "| --- | --- | --- | --- |"]
        for each in fields(model):
            if each.name not in NO_SETTINGS:
                kind, meaning = SETTINGS[model][each.name]
                default = "-" if each.default_factory is not MISSING else _setting(each.default)
                rows.append(f"| `{each.name}` | {kind} | {default} | {meaning} |")
        parts.append(f"## {title}\n\n" + "\n".join(rows))
    rows = ["| key | type | default | |", "| --- | --- | --- | --- |"]
    rows += [f"| `{key}` | {kind} | {default} | {meaning} |" for key, (kind, default, meaning) in TOOL_USE.items()]
    parts.append(
        "## Tool use\n\nHow models are shown the tools: for `toolgen stats` and `toolgen prompt`, and for programs, "
        "which read the same tables with\n`read_tool_use`.\n\n" + "\n".join(rows)
    )
    return "\n\n".join(parts) + "\n"


def runtime_page() -> str:
    """The public names of the runtime, with the signatures and docstrings of the source."""
    parts = [(FOLDER / "runtime.intro.md").read_text(encoding="utf-8").rstrip()]
    shown: set[str] = set()
    for module, names in PUBLIC.items():
        tree = _module(module)
        above = sorted(shown & _defined(tree).keys())
        parts.append(f"## `{module}`")
        if module != "toolgen.runtime":
            parts.append(ast.get_docstring(tree) or "")
        if above:
            parts.append(f"Above: {', '.join(f'`{name}`' for name in above)}.")
        for name in names or [name for name in _defined(tree) if name not in shown]:
            parts += _name_entry(name, *_definition(module, name))
            shown.add(name)
    return "\n\n".join(parts) + "\n"


def diagnostics_page() -> str:
    """Every code, what it means and how to mend it."""
    parts = [
        "# Diagnostics\n\nThe same texts as `toolgen explain CODE`. Errors stop a build; warnings and notes do not."
    ]
    parts += [f"## {row.code} {row.name}\n\n*{row.severity.value}.* {row.explanation}" for row in CODES.values()]
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """Every command and its options, as its own help says."""
    from importlib import import_module

    import click

    parts = [
        (
            "# Commands\n\n`toolgen -C DIR COMMAND` runs in another folder. Exit codes:\n"
            "0 fine, 1 findings or drift, 2 usage or configuration, 3 an internal error."
        )
    ]
    for name in COMMANDS:
        command: click.Command = import_module(
            f"toolgen.cli.commands.{'import_' if name == 'import' else name}"
        ).command
        for words, each in _commands(command, f"toolgen {name}"):
            shown = click.Context(each, info_name=words, terminal_width=100, help_option_names=["-h", "--help"])
            text = each.get_help(shown)
            parts.append(f"## `{words}`\n\n```text\n{text}\n```")
    return "\n\n".join(parts) + "\n"


def _commands(command: Any, words: str) -> list[tuple[str, Any]]:
    below = getattr(command, "commands", {})
    return [each for name, inner in below.items() for each in _commands(inner, f"{words} {name}")] or [(words, command)]


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n")[0]


def _heading(model: str) -> str:
    word, *rest = HEADINGS[model].split(" ", 1)
    return " ".join([f"`{word}`", *rest])


def _setting(value: Any) -> str:
    if not value:
        return "-"
    return f"`{value}`" if isinstance(value, str) else "one, with the defaults below"


def _table(model: type[BaseModel]) -> str:
    schema = model.model_json_schema(by_alias=True)
    required = set(schema.get("required", ()))
    rows = ["| key | type | default | |", "| --- | --- | --- | --- |"]
    for key, field in schema["properties"].items():
        default = "required" if key in required else _default(field.get("default"))
        rows.append(f"| `{key}` | {_type(field, schema)} | {default} | {field.get('description', '')} |")
    return "\n".join(rows)


def _default(value: Any) -> str:
    return (
        "-"
        if value in (None, "") or isinstance(value, dict) or value == []
        else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    )


def _type(field: dict[str, Any], root: dict[str, Any]) -> str:
    if field.get("x-toolgen") == "schema":
        return "schema"
    if "$ref" in field:
        return _model_type(field["$ref"].rpartition("/")[2], root)
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " ".join(f"`{word}`" for word in field["enum"])
    if "anyOf" in field:
        kinds = list(dict.fromkeys(_type(each, root) for each in field["anyOf"] if each != {"type": "null"}))
        return (", or " if kinds[0].startswith("list of") else " or ").join(kinds)
    if field.get("type") == "array":
        return f"list of {_inner_type(field.get('items', {}), root)}"
    if field.get("type") == "object":
        inner: Any = field.get("additionalProperties") or next(iter(field.get("patternProperties", {}).values()), {})
        return f"name -> {_inner_type(inner, root) if isinstance(inner, dict) else 'any'}"
    return {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}.get(
        field.get("type", ""), "any"
    )


def _model_type(name: str, root: dict[str, Any]) -> str:
    """A link to the section of a model, or its keys where it has none."""
    if name in HEADINGS:
        return f"[`{HEADINGS[name].split(' ')[0]}`](#{HEADINGS[name].replace(' ', '-')}) map"
    keys = root["$defs"][name]["properties"]
    return f"`{{{', '.join(f'{key}: {_type(field, root)}' for key, field in keys.items())}}}`"


def _inner_type(field: dict[str, Any], root: dict[str, Any]) -> str:
    kind = _type(field, root)
    return f"({kind})" if " or " in kind else kind


def _module(module: str) -> ast.Module:
    spec = find_spec(module)
    assert spec
    assert spec.origin
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _defined(tree: ast.Module) -> dict[str, tuple[ast.stmt, str]]:
    """What a module itself defines for others: classes, functions, annotated names, with what is said of them."""
    found: dict[str, tuple[ast.stmt, str]] = {}
    for node, text in _with_text(tree.body):
        name = node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ""
        name = node.name if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else name
        if name and not name.startswith("_"):
            found[name] = (node, text)
    return found


def _with_text(body: list[ast.stmt]) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement and its docstring, which of an assignment is the text below it."""
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
    elif default.startswith("cast("):  # something that stands in for a value
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


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
