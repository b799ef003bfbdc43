"""The reference of spec files, from their models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_folder import FOLDER

from toolgen.compiler.documents import base, selecting, toolset

if TYPE_CHECKING:
    from pydantic import BaseModel

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
            toolset.ApiSpec,
            toolset.AuthSpec,
            toolset.HttpSpec,
            toolset.ParamSpec,
            toolset.BodySpec,
            toolset.EncodingSpec,
        ],
    ),
    ("Agent file", selecting.AgentFile, []),
    (
        "Catalog file",
        selecting.CatalogFile,
        [
            selecting.CategorySpec,
            selecting.ActionSpec,
            selecting.SearchSpec,
            selecting.MandateSpec,
            selecting.HotListSpec,
        ],
    ),
    ("Policy file", selecting.PolicyFile, [selecting.PathsSpec, selecting.PolicyLimitsSpec]),
    ("Shared file", base.SharedFile, []),
]


HEADINGS = {each.__name__: each.__name__.removesuffix("Spec").lower() for _, _, below in FILES for each in below} | {
    "HotListSpec": "hot_list",
    "PolicyLimitsSpec": "limits of a policy",
    "MethodReference": "method",
    "ToolDefaultsSpec": "tool",
}
"""The section of each model. A model without one is written out where it is used."""


def specs_page() -> str:
    """Return the page of the keys of every kind of file; the prose on schemas and languages is in `specs.intro.md`."""
    parts = [(FOLDER / "specs.intro.md").read_text(encoding="utf-8").rstrip()]
    for title, model, below in FILES:
        parts.append(f"## {title}\n\n{_summary(model)}\n\n{_table(model)}")
        parts += [f"### {_heading(each.__name__)}\n\n{_summary(each)}\n\n{_table(each)}" for each in below]
    return "\n\n".join(parts) + "\n"


def _summary(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n")[0]


def _heading(model: str) -> str:
    word, *rest = HEADINGS[model].split(" ", 1)
    return " ".join([f"`{word}`", *rest])


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
    """Return a link to the section of a model, or its keys if it has none."""
    if name in HEADINGS:
        return f"[`{HEADINGS[name].split(' ')[0]}`](#{HEADINGS[name].replace(' ', '-')}) map"
    keys = root["$defs"][name]["properties"]
    return f"`{{{', '.join(f'{key}: {_type(field, root)}' for key, field in keys.items())}}}`"


def _inner_type(field: dict[str, Any], root: dict[str, Any]) -> str:
    kind = _type(field, root)
    return f"({kind})" if " or " in kind else kind
