"""Tool use: how tools are shown to models, per layer of an agent; parsed and checked from a configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, Literal, TypeAlias, get_args

from toolgen.contract.picklable import Picklable
from toolgen.schema.json_values import is_array, is_object

Layer: TypeAlias = Literal["chat", "step", "phase"]
LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)

PresentationName: TypeAlias = Literal["enumerate-all", "universal-category", "retrieval", "codeact"]
PRESENTATIONS: Final[tuple[PresentationName, ...]] = get_args(PresentationName)

DEFAULT_PRESENTATIONS: Final[Mapping[Layer, PresentationName]] = {
    "chat": "enumerate-all",
    "step": "universal-category",
    "phase": "universal-category",
}

_WITH_WRAPPERS: Final[PresentationName] = "universal-category"
_WITHOUT_WRAPPERS: Final[PresentationName] = "enumerate-all"
_WRAPPERS: Final = "universal_wrappers_enabled"
"""The setting that makes the presentation without wrappers the default of every layer."""

LEXICAL: Final = "lexical"
"""The embedding class without embeddings: lexical search."""

EMBEDDING_CLASSES: Final[Mapping[str, Mapping[str, Any]]] = {
    "url": {"url": str, "model": str, "key_variable": str, "timeout_seconds": int | float},
    "path": {"path": str},
    "function": {"function": str},
}
"""The kinds of embedding classes, by their characteristic setting, with all settings and their types."""

_LONGEST_WAIT: Final = 3600
"""Seconds that a class may be given to answer."""

Tier: TypeAlias = Literal["light", "strong"]
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)

TABLES: Final = ("tool_use", "action_retrieval", "router_model", "settings")
"""The settings of a configuration that are read here."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a configuration: the path of the setting, the message, and how to fix it."""

    setting: str
    message: str
    fix: str = ""


class ToolUseError(Picklable, ValueError):
    """A configuration of tool use is invalid. `problems` are all its errors."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        texts = (f"{each.message}{f' ({each.fix})' if each.fix else ''}" for each in problems)
        super().__init__("; ".join(dict.fromkeys(texts)))  # several layers may have the same


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUseConfig:
    """How tools are shown to models.

    `presentations` has one for each layer. Those of layers that are not in `chosen` are defaults; one that needs the
    built-in toolset `actions` is `enumerate-all` in a catalog without it. By default `chosen` has the layers of
    `presentations`, if these are given. `catalog` names the action catalog; empty for the only one, or else one of the
    toolsets. `embedding_class` is the class for search, empty if there is none; `embedding_classes` are the
    configured ones, each as its table. `base` are idents that retrieval always lists. `hot_list_size` is None for that
    of the catalog. `tier` is that of the model, empty if unknown. `settings` are the values for conditions of catalogs.
    Raises `ToolUseError` for a layer without a presentation, for an unknown one, and for `retrieval` without an
    embedding class.
    """

    presentations: Mapping[Layer, PresentationName] = field(default_factory=lambda: DEFAULT_PRESENTATIONS)
    catalog: str = ""
    embedding_class: str = ""
    embedding_classes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])
    base: tuple[str, ...] = ()
    hot_list_size: int | None = None
    tier: Tier | Literal[""] = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    chosen: frozenset[Layer] | None = None

    def __post_init__(self) -> None:
        if self.chosen is None:
            given = self.presentations if self.presentations is not DEFAULT_PRESENTATIONS else ()
            object.__setattr__(self, "chosen", frozenset(given))
        problems = tuple(filter(None, (self._problem(layer) for layer in LAYERS)))
        if problems:
            raise ToolUseError(problems)

    def _problem(self, layer: Layer) -> Problem | None:
        presentation, setting = self.presentations.get(layer), f"tool_use.{layer}"
        if presentation not in PRESENTATIONS:
            return Problem(
                setting, f"there is no presentation {presentation!r}", f"there are {', '.join(PRESENTATIONS)}"
            )
        if presentation == "retrieval" and not self.embedding_class:
            fix = f'write `embedding_class = "{LEXICAL}"` in `action_retrieval`, or name a class of your own'
            message = "the presentation 'retrieval' needs `action_retrieval.embedding_class`, which is not set"
            return Problem(setting, message, fix)
        return None


def read_tool_use(configuration: Mapping[str, Any]) -> ToolUseConfig:
    """Parse the settings `tool_use`, `action_retrieval`, `router_model` and `settings` of a configuration.

    Missing settings have defaults, and other tables are ignored. Raises `ToolUseError`.
    """
    reader = _ToolUseReader()
    config = reader.read(configuration)
    if reader.problems:
        raise ToolUseError(tuple(reader.problems))
    return config


class _ToolUseReader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(self, configuration: Mapping[str, Any]) -> ToolUseConfig:
        tool_use = self._table(configuration, "tool_use", (*LAYERS, "catalog"))
        retrieval = self._table(
            configuration,
            "action_retrieval",
            ("base", "classes", "embedding_class", "hot_list_n", _WRAPPERS),
        )
        classes = self._classes(retrieval)
        embedding_class = self._string(retrieval, "action_retrieval", "embedding_class")
        known = (LEXICAL, *classes)
        if embedding_class and embedding_class not in known:
            self._report(
                "action_retrieval.embedding_class",
                f"there is no embedding class {embedding_class!r}",
                known,
                embedding_class,
            )
        tier = self._string(configuration, "", "router_model")
        known_parts: dict[str, Any] = {
            "catalog": self._string(tool_use, "tool_use", "catalog"),
            "embedding_class": embedding_class,
            "embedding_classes": classes,
            "base": self._base(retrieval),
            "hot_list_size": self._hot_list_size(retrieval),
            "tier": tier if tier in TIERS else "",  # models of other tiers have no instructions
            "settings": self._settings(configuration),
        }
        try:
            presentations = self._presentations(tool_use, has_wrappers=self._has_wrappers(retrieval))
            chosen: frozenset[Layer] = frozenset(layer for layer in LAYERS if layer in tool_use)
            return ToolUseConfig(presentations=presentations, chosen=chosen, **known_parts)
        except ToolUseError as error:
            self.problems += error.problems
            return ToolUseConfig()

    def _has_wrappers(self, retrieval: Mapping[str, Any]) -> bool:
        found = retrieval.get(_WRAPPERS, True)
        if not isinstance(found, bool):
            self._wrong_type(f"action_retrieval.{_WRAPPERS}", "true or false", found)
        return found is not False

    def _presentations(self, tool_use: Mapping[str, Any], *, has_wrappers: bool) -> dict[Layer, PresentationName]:
        presentations: dict[Layer, PresentationName] = dict(DEFAULT_PRESENTATIONS)
        if not has_wrappers:
            presentations = dict.fromkeys(LAYERS, _WITHOUT_WRAPPERS)
        for layer in LAYERS:
            presentation = self._string(tool_use, "tool_use", layer)
            if presentation == _WITH_WRAPPERS and not has_wrappers:
                self._report(
                    f"tool_use.{layer}",
                    f"the presentation {presentation!r} has wrappers, but `action_retrieval.{_WRAPPERS}` is false",
                    fix="remove one of the two settings",
                )
            elif presentation in PRESENTATIONS:
                presentations[layer] = presentation
            elif presentation:
                message = f"there is no presentation {presentation!r}"
                self._report(f"tool_use.{layer}", message, PRESENTATIONS, presentation)
        return presentations

    def _classes(self, retrieval: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        classes = retrieval.get("classes", {})
        if not is_object(classes):
            self._wrong_type("action_retrieval.classes", "a table of tables", classes)
            return found
        for name, table in classes.items():
            if name == LEXICAL:
                self._report(
                    f"action_retrieval.classes.{name}", f"the class {LEXICAL!r} is built in", fix="rename yours"
                )
            elif is_object(table):
                found[name] = table
                self._check_class(f"action_retrieval.classes.{name}", table)
            else:
                self._wrong_type(f"action_retrieval.classes.{name}", "a table", table)
        return found

    def _check_class(self, setting: str, table: Mapping[str, Any]) -> None:
        kinds = [kind for kind in EMBEDDING_CLASSES if kind in table]
        if len(kinds) != 1:
            self._report(setting, f"`{setting}` needs one of {', '.join(f'`{kind}`' for kind in EMBEDDING_CLASSES)}")
            return
        types = EMBEDDING_CLASSES[kinds[0]]
        for key, value in table.items():
            if key not in types:
                self._report(f"{setting}.{key}", f"`{setting}` has no setting `{key}`", types, key)
            elif not isinstance(value, types[key]) or isinstance(value, bool):
                wanted = "a string" if types[key] is str else "a number of seconds"
                self._wrong_type(f"{setting}.{key}", wanted, value)
            elif types[key] is not str and not 0 < value <= _LONGEST_WAIT:
                self._wrong_type(f"{setting}.{key}", f"a number of seconds, above 0 and at most {_LONGEST_WAIT}", value)
        function = table.get("function")
        if isinstance(function, str) and not all(function.partition(":")):
            self._report(f"{setting}.function", f"`{setting}.function` must be `module:name`, not {function!r:.50}")
        if kinds == ["url"] and "model" not in table:
            self._report(setting, f"`{setting}` needs the `model` that the server at `url` is asked for")

    def _base(self, retrieval: Mapping[str, Any]) -> tuple[str, ...]:
        base: object = retrieval.get("base", [])
        if is_array(base) and all(isinstance(ident, str) for ident in base):
            return tuple(base)
        self._wrong_type("action_retrieval.base", "an array of tools", base)
        return ()

    def _hot_list_size(self, retrieval: Mapping[str, Any]) -> int | None:
        size = retrieval.get("hot_list_n")
        if size is None or (isinstance(size, int) and not isinstance(size, bool) and size >= 0):
            return size
        self._wrong_type("action_retrieval.hot_list_n", "a number, 0 or more", size)
        return None

    def _settings(self, configuration: Mapping[str, Any]) -> dict[str, str]:
        table = configuration.get("settings", {})
        if not is_object(table):
            self._wrong_type("settings", "a table", table)
            return {}
        for name, value in table.items():
            if not isinstance(value, str):
                self._wrong_type(f"settings.{name}", "a string", value)
        return {name: value for name, value in table.items() if isinstance(value, str)}

    def _table(self, configuration: Mapping[str, Any], name: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        table = configuration.get(name, {})
        if not is_object(table):
            self._wrong_type(name, "a table", table)
            return {}
        for key in table:
            if key not in known:
                self._report(f"{name}.{key}", f"`{name}` has no setting `{key}`", known, key)
        return table

    def _string(self, table: Mapping[str, Any], name: str, key: str) -> str:
        value = table.get(key, "")
        if isinstance(value, str):
            return value
        self._wrong_type(f"{name}.{key}".removeprefix("."), "a string", value)
        return ""

    def _wrong_type(self, setting: str, wanted: str, value: object) -> None:
        self._report(setting, f"`{setting}` must be {wanted}, not {value!r:.50}")

    def _report(
        self, setting: str, message: str, known: Collection[str] = (), asked: str = "", *, fix: str = ""
    ) -> None:
        near = get_close_matches(asked, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}" if known else fix
        self.problems.append(Problem(setting, message, hint))
