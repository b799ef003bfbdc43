"""Config: which specs become which package, and where handlers are found.

Read from `toolgen.toml`, or from `[tool.toolgen]` of `pyproject.toml`. Standard library only: the fast path of
`build --check` starts here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final, Literal, cast

from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Diagnostics, Span, nearest
from toolgen.compiler.diagnostics.lint_settings import LintSettings, read_lint_settings
from toolgen.compiler.diagnostics.silence import Silenced, read_silence
from toolgen.contract.picklable import Picklable
from toolgen.providers.table import PROVIDERS
from toolgen.spec.builtin import BUILTIN_TOOLSETS as BUILTIN_TOOLSETS
from toolgen.spec.files import read_file_inside
from toolgen.spec.toml_text import read_toml
from toolgen.spec.tool_use import TABLES as TOOL_USE_SETTINGS
from toolgen.spec.tool_use import ToolUseConfig, ToolUseError, read_tool_use

Formats = Literal["annotate", "assert", "typed"]
Profile = Literal["full", "core"]

_LARGEST: Final = 10 * 1024 * 1024
"""The size of a configuration file, in bytes."""

OWN_FILE: Final = "toolgen.toml"
PROJECT_FILE: Final = "pyproject.toml"

_SETTINGS = ("targets", "executors", "handlers", "models", "lint", "silence", *TOOL_USE_SETTINGS)
NAMING: Final = ("executors", "tool_use", "action_retrieval", "settings", "silence")
"""The settings that name tools, toolsets, action catalogs and their conditions."""

_TARGET_SETTINGS = ("specs", "out", "formats", "profile", "builtin", "export")
_MODEL_SETTINGS = ("ask", "provider", "input_price", "output_price")
_OWN_MODEL = "search"
_HANDLERS = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_TYPE_NAMES: dict[type, str] = {
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True, slots=True)
class Target:
    """One package to build. `specs` and `out` are folders, relative to the project, with `/`.

    `formats` says whether JSON Schema's `format` is checked, and with `typed` also that dates, times and UUIDs have
    Python's types; `profile` is the schema subset that specs may use.
    `builtin` are the toolsets of `BUILTIN_TOOLSETS` that are compiled with the target's own, sorted. `export` are
    the providers whose payloads of all tools are written with the package, in the order of `PROVIDERS`.
    `named` has the settings of the project that name tools, which a build checks: changing them changes the target.
    """

    specs: str = "specs"
    out: str = "generated"
    formats: Formats = "annotate"
    profile: Profile = "full"
    builtin: tuple[str, ...] = ()
    export: tuple[str, ...] = ()
    named: str = field(default="", compare=False, repr=False)


_DEFAULT: Final = Target()
_NO_TOOL_USE: Final = ToolUseConfig()
_NO_LINT: Final = LintSettings()


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model that `toolgen eval` asks: `ask` is a function of the project, as `module:name`.

    It takes the messages and the request, in the format of `provider`, and returns the response of the API. Prices are
    those of a million tokens, in any currency; None where they are not known.
    """

    ask: str
    provider: str = "openai"
    input_price: float | None = None
    output_price: float | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """What a project sets. `root` is its folder; `executors` maps a toolset to its handlers, as `module:name`.

    `handlers` are modules outside the project that specs may name, each with those below it. `models` are those that
    `toolgen eval` knows, by name.
    `tool_use` says how models are shown the tools, for the commands that tell of it; hosts read it themselves. `lint`
    has the rules of `toolgen lint`. `silence` has the warnings that no command shows.
    `file` is what it was read from, in that folder; empty where the defaults hold.
    """

    root: Path
    targets: tuple[Target, ...] = (_DEFAULT,)
    executors: Mapping[str, str] = field(default_factory=dict[str, str])
    handlers: tuple[str, ...] = ()
    models: Mapping[str, ModelSettings] = field(default_factory=dict[str, ModelSettings])
    tool_use: ToolUseConfig = _NO_TOOL_USE
    lint: LintSettings = _NO_LINT
    silence: tuple[Silenced, ...] = ()
    file: str = ""


class ConfigError(Picklable):
    """The configuration cannot be used. `diagnostics` are all its problems; as text, one line each.

    `sources` has the text of the file, by its path, where it could be read.
    """

    def __init__(self, diagnostics: tuple[Diagnostic, ...], sources: Mapping[str, str]) -> None:
        super().__init__("\n".join(f"{found.span.file}: {found.message}" for found in diagnostics))
        self.diagnostics = diagnostics
        self.sources = sources


def load_config(folder: Path) -> Config:
    """Read the configuration of the project in `folder`; without one, the defaults hold.

    Raises ConfigError with every problem found: unreadable or ill-formed TOML, unknown keys, wrong types, and
    folders that are outside the project or overlap.
    """
    root = folder.absolute()
    source = _source(root)
    if source is None:
        return Config(root)
    targets = source.targets()
    _refuse_overlaps(targets, source)
    named = source.named()
    config = Config(
        root,
        tuple(replace(target, named=named) for _, target in targets),
        source.executors(),
        source.handlers(),
        source.models(),
        source.tool_use(),
        source.lint(),
        source.silence(),
        source.file,
    )
    source.finish()
    return config


class _Source:
    """One configuration file while it is read: where its settings are, and what is wrong with them."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.table: dict[str, object] = {}
        self.sink = Diagnostics()

    def report(self, code: str, message: str, *, key: str = "", fix: str = "") -> None:
        """Add a problem; `key` is the last part of the setting's name, and shown where it can only be one place."""
        self.sink.report(code, self._span(key), message, fix=fix)

    def finish(self) -> None:
        """Raise ConfigError where something was reported."""
        if self.sink.has_errors:
            raise ConfigError(tuple(self.sink), {self.file: self.text} if self.text else {})

    def _span(self, key: str) -> Span:
        return setting_span(self.file, self.text, key)

    def named(self) -> str:
        """Return the settings whose values are names in specs, as text; empty if there are none."""
        found = [self.table[key] for key in NAMING if key in self.table]
        return repr(found) if found else ""

    def targets(self) -> list[tuple[str, Target]]:
        """Return each target with its name in messages, such as `targets[0]`."""
        self.refuse_unknown(self.table, _SETTINGS, "")
        if "targets" not in self.table:
            return [("targets", _DEFAULT)]
        rows = self.table["targets"]
        if not isinstance(rows, list) or not rows:
            found = "an empty array" if rows == [] else _type_name(self.table["targets"])
            self.report("TG705", f"`targets` must be an array of tables, not {found}", key="targets")
            return []
        named = ((f"targets[{index}]", row) for index, row in enumerate(cast("list[object]", rows)))
        return [(name, target) for name, row in named if (target := self.target(name, row))]

    def target(self, name: str, row: object) -> Target | None:
        if not isinstance(row, dict):
            self.report("TG705", f"`{name}` must be a table, not {_type_name(row)}", key="targets")
            return None
        table = cast("dict[str, object]", row)
        self.refuse_unknown(table, _TARGET_SETTINGS, f"{name}.")
        specs = self.folder(table, name, "specs", _DEFAULT.specs)
        out = self.folder(table, name, "out", _DEFAULT.out)
        formats = self.choice(table, name, "formats", ("annotate", "assert", "typed"))
        profile = self.choice(table, name, "profile", ("full", "core"))
        builtin = self.words(table, name, "builtin", BUILTIN_TOOLSETS, "toolsets")
        export = self.words(table, name, "export", PROVIDERS, "providers")
        if specs is None or out is None:
            return None
        package = PurePosixPath(out).name
        if not package.isidentifier() or iskeyword(package):
            found = f"`{package}` is not" if package else "the project folder itself cannot be"
            self.report("TG707", f"`{name}.out` must end in the name of a Python package, and {found} one", key="out")
            return None
        if any(part.startswith(".") for part in PurePosixPath(out).parts):
            message = f"`{name}.out` is in a hidden folder, and {out!r} belongs to another tool"
            self.report("TG707", message, key="out", fix="choose a folder without a dot at its start")
            return None
        if out in sys.stdlib_module_names or out == "toolgen":
            self.report(
                "TG707", f"`{name}.out` is `{out}`, and would hide the module of that name", key="out", fix="rename it"
            )
            return None
        return Target(specs, out, cast("Formats", formats), cast("Profile", profile), builtin, export)

    def folder(self, table: dict[str, object], name: str, key: str, default: str) -> str | None:
        value = table.get(key, default)
        if not isinstance(value, str):
            self.report("TG705", f"`{name}.{key}` must be a string, not {_type_name(value)}", key=key)
            return None
        problem = _folder_problem(value)
        if problem:
            self.report(
                "TG706", f"`{name}.{key}` must be a folder inside the project, and {value!r} {problem}", key=key
            )
            return None
        return PurePosixPath(value).as_posix()

    def choice(self, table: dict[str, object], name: str, key: str, choices: tuple[str, ...]) -> str:
        value = table.get(key, choices[0])
        if value not in choices:
            found = repr(value) if isinstance(value, str) else _type_name(value)
            message = f"`{name}.{key}` must be {' or '.join(repr(choice) for choice in choices)}, not {found}"
            self.report("TG705", message, key=key, fix=nearest(value, choices) if isinstance(value, str) else "")
            return choices[0]
        return str(value)

    def words(self, table: dict[str, object], name: str, key: str, known: Collection[str], of: str) -> tuple[str, ...]:
        """Read a list of some of the words that are known; in their order, each once. `of` says what they name."""
        found = table.get(key, [])
        if not isinstance(found, list):
            message = f"`{name}.{key}` must be an array of {of}, not {_type_name(found)}"
            self.report("TG705", message, key=key, fix=f'write `["{found}"]`' if found in known else "")
            return ()
        words = cast("list[object]", found)
        *others, last = (repr(word) for word in known)
        for word in words:
            if word not in known:
                shown = repr(word) if isinstance(word, str) else _type_name(word)
                fix = nearest(word, known) if isinstance(word, str) else ""
                choices = f"{', '.join(others)} or {last}"
                self.report("TG705", f"`{name}.{key}` is a list of {choices}, not {shown}", key=key, fix=fix)
        return tuple(word for word in known if word in words)

    def executors(self) -> dict[str, str]:
        rows = self.table.get("executors", {})
        if not isinstance(rows, dict):
            message = f"`executors` must be a table of toolset to `module:name`, not {_type_name(rows)}"
            self.report("TG705", message, key="executors")
            return {}
        executors: dict[str, str] = {}
        for toolset, handlers in cast("dict[str, object]", rows).items():
            if isinstance(handlers, str) and _HANDLERS.fullmatch(handlers):
                executors[toolset] = handlers
            else:
                self._report_executor(toolset, handlers)
        return executors

    def handlers(self) -> tuple[str, ...]:
        rows = self.table.get("handlers", [])
        if not isinstance(rows, list):
            fix = f'write `["{rows}"]`' if isinstance(rows, str) else ""
            message = f"`handlers` must be an array of modules, not {_type_name(rows)}"
            self.report("TG705", message, key="handlers", fix=fix)
            return ()
        modules: list[str] = []
        for each in cast("list[object]", rows):
            if isinstance(each, str) and _MODULE.fullmatch(each):
                modules.append(each)
            else:
                found = repr(each) if isinstance(each, str) else _type_name(each)
                message = f"`handlers` is a list of modules such as 'acme.tools', not {found}"
                self.report("TG705", message, key="handlers")
        return tuple(modules)

    def models(self) -> dict[str, ModelSettings]:
        rows = self.table.get("models", {})
        if not isinstance(rows, dict):
            message = f"`models` must be a table of name to `module:name`, not {_type_name(rows)}"
            self.report("TG705", message, key="models")
            return {}
        found = ((name, self._model(name, row)) for name, row in cast("dict[str, object]", rows).items())
        return {name: model for name, model in found if model is not None}

    def _model(self, name: str, row: object) -> ModelSettings | None:
        table = cast("dict[str, object]", row) if isinstance(row, dict) else {"ask": row}
        self.refuse_unknown(table, _MODEL_SETTINGS, f"models.{name}.")
        ask = table.get("ask")
        if name == _OWN_MODEL:
            self.report("TG705", f"`models.{name}` has the name of the model that comes with toolgen", key=name)
            return None
        if not isinstance(ask, str) or not _HANDLERS.fullmatch(ask):
            found = repr(ask) if isinstance(ask, str) else "nothing" if ask is None else _type_name(ask)
            fix = 'write `"module:name"`, or a table with `ask = "module:name"`'
            self.report("TG705", f"`models.{name}` must name a function, not {found}", key=name, fix=fix)
            return None
        provider = table.get("provider", "openai")
        if provider not in PROVIDERS:
            shown = repr(provider) if isinstance(provider, str) else _type_name(provider)
            fix = nearest(provider, PROVIDERS) if isinstance(provider, str) else ""
            self.report("TG705", f"`models.{name}.provider` must be a provider, not {shown}", key="provider", fix=fix)
            return None
        prices = [self._price(name, key, table.get(key)) for key in ("input_price", "output_price")]
        return ModelSettings(ask, str(provider), *prices)

    def _price(self, name: str, key: str, value: object) -> float | None:
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
            self.report("TG705", f"`models.{name}.{key}` must be the price of a million tokens", key=key)
            return None
        return float(value)

    def _report_executor(self, toolset: str, handlers: object) -> None:
        found = repr(handlers) if isinstance(handlers, str) else _type_name(handlers)
        unquoted = isinstance(handlers, dict)
        fix = f'write `"{toolset}.…" = "module:name"`: a dotted key needs quotes' if unquoted else ""
        self.report("TG705", f"`executors.{toolset}` must be a string `module:name`, not {found}", key=toolset, fix=fix)

    def tool_use(self) -> ToolUseConfig:
        try:
            return read_tool_use(self.table)
        except ToolUseError as error:
            for problem in error.problems:
                self.report("TG705", problem.message, key=problem.setting.rpartition(".")[2], fix=problem.fix)
            return _NO_TOOL_USE

    def lint(self) -> LintSettings:
        if "lint" not in self.table:
            return _NO_LINT

        def report(setting: str, message: str, fix: str) -> None:
            self.report("TG705", message, key=setting.rpartition(".")[2], fix=fix)

        return read_lint_settings(self.table["lint"], report)

    def silence(self) -> tuple[Silenced, ...]:
        def report(setting: str, message: str, fix: str) -> None:
            self.report("TG705", message, key=setting.rpartition(".")[2], fix=fix)

        return read_silence(self.table.get("silence", []), report)

    def refuse_unknown(self, table: dict[str, object], known: tuple[str, ...], prefix: str) -> None:
        for key in table:
            if key not in known:
                is_other = self.file == OWN_FILE and not prefix and key == "tool"
                fix = f"write its keys without `[tool.toolgen]`, which is for {PROJECT_FILE}" if is_other else ""
                self.report("TG704", f"unknown key `{prefix}{key}`", key=key, fix=fix or nearest(key, known))


def setting_span(file: str, text: str, key: str) -> Span:
    """Return where a setting is, by the last part of its name; the file if that is in several places, or in none."""
    places = list(re.finditer(rf"(?<![\w.-]){re.escape(key)}(?=[\"']?\s*[.=\]])", text)) if key else []
    if len(places) != 1:
        return Span(file)
    start = places[0].start()
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Span(file, line, column, line, column + len(key))


def _source(root: Path) -> _Source | None:
    """Return the file that configures toolgen, or nothing. Raises ConfigError where there are two, or one is broken."""
    own, project = _read(root, OWN_FILE), _read(root, PROJECT_FILE)
    if project:
        tool = project.table.get("tool", {})
        section = cast("dict[str, object]", tool).get("toolgen") if isinstance(tool, dict) else None
        if section is not None and not isinstance(section, dict):
            project.report("TG705", f"`tool.toolgen` must be a table, not {_type_name(section)}", key="toolgen")
            project.finish()
        project.table = cast("dict[str, object]", section or {})
    sources = [source for source in (own, project) if source and source.table]
    if len(sources) > 1:
        sources[0].report("TG703", f"both {OWN_FILE} and `[tool.toolgen]` of {PROJECT_FILE} configure toolgen")
        sources[0].finish()
    return sources[0] if sources else None


def _read(root: Path, file: str) -> _Source | None:
    source = _Source(file, "")
    try:
        source.text = read_file_inside(root / file, root, _LARGEST).decode("utf-8-sig")
        source.table = read_toml(source.text)
    except FileNotFoundError:
        return None
    except tomllib.TOMLDecodeError as error:
        source.sink.report("TG702", *_syntax_error(source, str(error)))
    except RecursionError:
        source.report("TG702", "values are nested too deeply")
    except UnicodeDecodeError as error:
        source.report("TG701", f"the file is not UTF-8 text: {error.reason} at byte {error.start}")
    except OSError as error:
        source.report("TG701", f"the file cannot be read: {error.strerror}")
    source.finish()
    return source


def _syntax_error(source: _Source, message: str) -> tuple[Span, str]:
    """Take the place out of tomllib's message, which is where Python before 3.14 keeps it."""
    found = _POSITION.search(message)
    text = message[: found.start()] if found else message
    if found and found["line"]:
        line, column, hint = int(found["line"]), int(found["column"]), ""
    else:
        lines = source.text.rstrip().split("\n")
        line, column = len(lines), len(lines[-1]) + 1
        hint = ", where the file ends: a value, a bracket or a quotation mark is missing"
    return Span(source.file, line, column, line, column + 1), f"{text} at line {line}, column {column}{hint}"


_LONGEST_NAME: Final = 255
"""Bytes of the name of a file or folder, on all common file systems."""


def _folder_problem(value: str) -> str:
    """Say why `value` is not a folder inside the project, or nothing."""
    if not value.strip() or not value.isprintable():
        return "is not the name of a folder"
    if "\\" in value:
        return "has a `\\`; write `/`"
    if value.startswith("/") or PureWindowsPath(value).drive:
        return "is absolute"
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for part in value.split("/")):
        return f"has a name of more than {_LONGEST_NAME} bytes, which no file system takes"
    if ".." in PurePosixPath(value).parts:
        return "has a `..`"
    return ""


def _refuse_overlaps(targets: list[tuple[str, Target]], source: _Source) -> None:
    """Report outputs that are, hold or lie in another folder of the configuration."""
    for index, (name, target) in enumerate(targets):
        others = [(f"{other}.out", one.out) for other, one in targets[:index]]
        others += [(f"{other}.specs", one.specs) for other, one in targets]
        for other, taken in others:
            if _overlap(target.out, taken):
                message = f"`{name}.out` ({target.out}) and `{other}` ({taken}) overlap"
                source.report("TG708", message, key="out")


def _overlap(one: str, other: str) -> bool:
    """Return whether two folders are the same or nested, on a file system that may not tell cases apart."""
    first, second = (PurePosixPath(path.casefold()) for path in (one, other))
    return first.is_relative_to(second) or second.is_relative_to(first)


def _type_name(value: object) -> str:
    return _TYPE_NAMES.get(type(value), "a date or time")
