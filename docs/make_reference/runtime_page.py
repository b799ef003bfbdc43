"""The reference of the runtime, from its source."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from reference_folder import FOLDER

import toolgen.agents
import toolgen.engine
import toolgen.llm
import toolgen.record
import toolgen.runtime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PUBLIC: dict[str, tuple[str, ...]] = {
    "toolgen.runtime": tuple(dir(toolgen.runtime)),
    "toolgen.runtime.policy.permission": (),
    "toolgen.runtime.policy.approval": ("ask_before_call",),
    "toolgen.runtime.policy.terminal": ("TerminalPrompt",),
    "toolgen.runtime.policy.policy": ("Policies", "PolicyAnswer", "PolicyDecision", "PolicyReason"),
    "toolgen.runtime.base.errors": (),
    "toolgen.runtime.calls.hooks": (),
    "toolgen.runtime.catalog.registration": ("Handler", "SchemaProfile"),
    "toolgen.execute.user_tools": ("load_user_tools",),
    "toolgen.runtime.runs.run": ("Run", "RunProgress"),
    "toolgen.runtime.runs.children": ("ChildRun", "start_child"),
    "toolgen.execute.command": ("CommandHost", "command_executor"),
    "toolgen.runtime.telemetry": ("Telemetry", "TracedOperation"),
    "toolgen.agents": tuple(dir(toolgen.agents)),
    "toolgen.agents.runs": ("RunAgent", "run_to_end"),
    "toolgen.engine": tuple(dir(toolgen.engine)),
    "toolgen.engine.protocol": ("Approval", "RunInfo", "RunState"),
    "toolgen.engine.children": ("run_children",),
    "toolgen.engine.body": ("Retries",),
    "toolgen.engine.dbos": ("DbosEngine", "DbosWorker", "database_url"),
    "toolgen.runtime.policy.paths.policy": ("PathPolicy", "PathAnswer", "PathConcern"),
    "toolgen.runtime.policy.rate_limits.protocol": (),
    "toolgen.runtime.policy.rate_limits.memory": ("MemoryCounters",),
    "toolgen.runtime.policy.rate_limits.redis": ("RedisCounters",),
    "toolgen.runtime.policy.rate_limits.postgres": ("PostgresCounters",),
    "toolgen.runtime.policy.grants.protocol": ("Grants", "Grant", "Scope", "GrantsError"),
    "toolgen.runtime.policy.grants.sqlite": ("SqliteGrants",),
    "toolgen.runtime.policy.grants.postgres": ("PostgresGrants",),
    "toolgen.runtime.events.store": (),
    "toolgen.runtime.events.records": (),
    "toolgen.record": tuple(dir(toolgen.record)),
    "toolgen.record.stores": ("open_store",),
    "toolgen.record.chain": ("ChainError", "ChainHead", "Chain", "ChainFinding", "verify_chain"),
    "toolgen.record.calls": (),
    "toolgen.record.artifacts": ("Artifact", "ArtifactError", "ArtifactNotFound"),
    "toolgen.llm": tuple(dir(toolgen.llm)),
    "toolgen.llm.tool_use.loop": ("AskModel", "ConversationEvent", "OnEvent"),
    "toolgen.adapters.pydantic_ai": ("toolset",),
    "toolgen.adapters.openai_agents": ("tools",),
    "toolgen.adapters.langchain": ("tools",),
    "toolgen.adapters.fastmcp": ("add_tools",),
    "toolgen.providers.protocol": (),
    "toolgen.llm.presentations.protocol": (),
    "toolgen.contract.actions": ("ActionTables", "ActionRule", "ResolvedAction", "UnknownActionError", "ArgsNotMapped"),
    "toolgen.llm.tags": (
        "ToolDef",
        "ToolContext",
        "TagHandler",
        "TagGate",
        "tool_defs",
        "prompt_block",
        "parse_response",
        "TagReply",
        "TagCall",
        "run_tags",
        "TagTurn",
    ),
    "toolgen.contract.records": (),
}
"""The modules that hosts may import from, and their names; without names, everything that a module defines."""


def runtime_page() -> str:
    """Return the page of the public names of the runtime, with the signatures and docstrings of the source."""
    parts = [(FOLDER / "runtime.intro.md").read_text(encoding="utf-8").rstrip()]
    shown: set[str] = set()
    for module, names in PUBLIC.items():
        tree = _module(module)
        above = sorted((shown & _defined(tree).keys()) - set(names))
        parts.append(f"## `{module}`")
        if module != "toolgen.runtime":
            parts.append(ast.get_docstring(tree) or "")
        if above:
            parts.append(f"Above: {', '.join(f'`{name}`' for name in above)}.")
        for name in names or [name for name in _defined(tree) if name not in shown]:
            parts += _name_entry(name, *_definition(module, name))
            shown.add(name)
    return "\n\n".join(parts) + "\n"


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
