"""Writes `docs/reference/` from the models of the spec language and the table of diagnostics: `make docs`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli import COMMANDS
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.compiler.documents import action_catalog, agent, policy, shared, toolset

if TYPE_CHECKING:
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
            action_catalog.MandateSpec,
            action_catalog.HotListSpec,
        ],
    ),
    ("Policy file", policy.PolicyFile, [policy.PathsSpec, policy.PolicyLimitsSpec]),
    ("Shared file", shared.SharedFile, []),
]


def pages() -> dict[str, str]:
    """Every generated page, by file name."""
    return {"specs.md": specs_page(), "diagnostics.md": diagnostics_page(), "commands.md": commands_page()}


def specs_page() -> str:
    """The keys of every kind of file; the prose on schemas and small languages comes from `specs.intro.md`."""
    parts = [(FOLDER / "specs.intro.md").read_text(encoding="utf-8").rstrip()]
    for title, model, below in FILES:
        parts.append(f"## {title}\n\n{_summary(model)}\n\n{_table(model)}")
        parts += [f"### `{_key_of(each)}`\n\n{_summary(each)}\n\n{_table(each)}" for each in below]
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


def _key_of(model: type[BaseModel]) -> str:
    return {"CategorySpec": "category", "PolicyLimitsSpec": "limits", "HotListSpec": "hot_list"}.get(
        model.__name__, model.__name__.removesuffix("Spec").lower()
    )


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
        name = field["$ref"].rpartition("/")[2]
        name = {"MethodReference": "Method", "ToolDefaultsSpec": "Tool"}.get(name, name)
        return f"`{name.removesuffix('Spec').lower()}` map"
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return " ".join(f"`{word}`" for word in field["enum"])
    if "anyOf" in field:
        kinds = [_type(each, root) for each in field["anyOf"] if each != {"type": "null"}]
        return " or ".join(dict.fromkeys(kinds))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}), root)}"
    if field.get("type") == "object":
        inner = field.get("additionalProperties") or next(iter(field.get("patternProperties", {}).values()), {})
        return f"name -> {_type(inner, root) if isinstance(inner, dict) else 'any'}"
    return {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}.get(
        field.get("type", ""), "any"
    )


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
