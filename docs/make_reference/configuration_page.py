"""The reference of the configuration, from the code that reads it."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from reference_folder import FOLDER

from toolgen.compiler.diagnostics.lint_settings import DEFAULT_PROVIDERS
from toolgen.compiler.project.config import BUILTIN_TOOLSETS, Config, Target
from toolgen.providers.table import PROVIDERS
from toolgen.spec.tool_use import DEFAULT_PRESENTATIONS, LAYERS, LEXICAL, PRESENTATIONS

SETTINGS: dict[type[Any], dict[str, tuple[str, str]]] = {
    Config: {
        "targets": ("array of tables", "The packages to build, each with the keys below."),
        "lint": ("table", "What `toolgen lint` reports: see below."),
        "silence": ("array of tables", "Warnings that no command and no editor shows: see below."),
        "executors": (
            "table",
            "Toolset to its handlers, as `module:name`: what `toolgen call`, `serve` and `explore` run.",
        ),
        "models": ("table", "Models to the function that asks them, as `module:name`, or a table: for `toolgen eval`."),
        "handlers": ("list of modules", "Modules outside the project that `handler` and `app` of specs may name."),
    },
    Target: {
        "specs": ("text", "The folder with the specs, relative to the project."),
        "out": ("text", "The folder of the package. Its last part is the name that programs import."),
        "formats": (
            "`annotate` `assert` `typed`",
            "Describe, check, or check and give [Python's types](../how-to/authoring/use-typed-formats.md).",
        ),
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

PRESENTATION_NAMES = " ".join(f"`{presentation}`" for presentation in PRESENTATIONS)

TOOL_USE: dict[str, tuple[str, str, str]] = {
    **{
        f"tool_use.{layer}": (
            PRESENTATION_NAMES,
            f"`{DEFAULT_PRESENTATIONS[layer]}`",
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
        "boolean",
        "true",
        "If false, `enumerate-all` is the default of every layer of `tool_use`, and none may be `universal-category`.",
    ),
    "router_model": ("`light` `strong`", "-", "The tier of the model: mandates of catalogs are for some tiers."),
    "settings": ("texts by name", "-", "What the conditions (`needs`) of catalogs look at, such as `sandbox_backend`."),
}
"""The settings of tool use: type, default and meaning. Programs read them with `read_tool_use`."""

LINT: dict[str, tuple[str, str, str]] = {
    "lint.select": ("list of rules", "all", "The rules that report, by id or name."),
    "lint.ignore": ("list of rules", "-", "Rules that do not report."),
    "lint.severity": ("`error` `warning` `note` by rule", "the rule's", "The severity of a rule's findings."),
    "lint.thresholds": ("numbers by rule", "the rule's", "The figure beyond which a rule reports."),
    "lint.providers": (
        f"list of {' '.join(f'`{name}`' for name in PROVIDERS)}",
        " ".join(f"`{name}`" for name in DEFAULT_PROVIDERS),
        "The providers that tools have to fit.",
    ),
}
"""The settings of lint: type, default and meaning."""

SILENCE: dict[str, tuple[str, str]] = {
    "silence.codes": ("list of codes", "Codes or names of warnings and notes, of `build` and of lint. No errors."),
    "silence.paths": ("list of patterns", "The files that they are in, as messages show them. `*` is any text."),
    "silence.toolsets": ("list of patterns", "The toolsets that they are in. `*` is any text."),
}
"""The keys of a row of `silence`: type and meaning."""

NO_SETTINGS = ("root", "file", "tool_use", "named")
"""The fields of `Config` that are not keys of the configuration."""


def configuration_page() -> str:
    """Return the page of the configuration keys; the prose and the examples come from `configuration.intro.md`."""
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
    rows = ["| key | type | default | |", "| --- | --- | --- | --- |"]
    rows += [f"| `{key}` | {kind} | {default} | {meaning} |" for key, (kind, default, meaning) in LINT.items()]
    parts.append("## Lint\n\nThe table `lint`: see the [rules](lint.md).\n\n" + "\n".join(rows))
    rows = ["| key | type | |", "| --- | --- | --- |"]
    rows += [f"| `{key}` | {kind} | {meaning} |" for key, (kind, meaning) in SILENCE.items()]
    parts.append(
        "## Silenced warnings\n\nThe rows of `silence`. What a row leaves out means all; it names something.\n\n"
        + "\n".join(rows)
    )
    return "\n\n".join(parts) + "\n"


def _setting(value: Any) -> str:
    if not value:
        return "-"
    return f"`{value}`" if isinstance(value, str) else "one, with the defaults below"
