"""Tool definitions: name, description, schemas, permission and tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args

from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.suggest import nearest
from toolgen.schema.json_values import is_mapping
from toolgen.spec.wire_names import wire_name

if TYPE_CHECKING:
    from toolgen.spec.tool_settings import ToolSettings


Permission: TypeAlias = Literal["readonly", "write"]
PERMISSIONS: Final[tuple[Permission, ...]] = get_args(Permission)

BuiltInTag: TypeAlias = Literal[
    "internal", "agent", "mcp", "code", "declarative", "dangerous", "filesystem", "network", "readonly", "write"
]  # fmt: skip
BUILT_IN_TAGS: Final[frozenset[BuiltInTag]] = frozenset(get_args(BuiltInTag))

Source: TypeAlias = Literal["code", "mcp", "agent", "task", "declarative"]
"""The origin of a tool; `source` in the metadata of a definition."""

_SEGMENT: Final = r"[A-Za-z_][A-Za-z0-9_-]*"
_NAME: Final = re.compile(rf"{_SEGMENT}(\.{_SEGMENT})+", re.ASCII)
_SERVER: Final = re.compile(r"mcp\.([^.]+)\..*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """The definition of a tool, compiled or registered.

    `name` is the ident; `input_schema` a JSON Schema of an object; `result_schema` any JSON Schema, or None for any
    JSON. `tags` always includes the permission. Raises `CatalogError` for a malformed name, an unknown permission, or
    a missing description.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    permission: Permission = "write"
    tags: Set[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    title: str = ""
    result_schema: Any = None
    _settings: ToolSettings | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_name(self.name)
        if not _is_text(self.description):
            raise CatalogError(f"{self.name} has no description: models choose tools by it")
        if self.title != "" and not _is_text(self.title):
            raise CatalogError(f"the title of {self.name} must be text, not {self.title!r:.100}")
        if self.permission not in PERMISSIONS:
            raise CatalogError(
                f"{self.name} has permission {self.permission!r}; it must be one of {', '.join(PERMISSIONS)}"
            )
        if not _are_words(self.tags):
            raise CatalogError(f"the tags of {self.name} must be a set of words, not {self.tags!r:.100}")
        if not is_mapping(self.metadata):
            raise CatalogError(f"the metadata of {self.name} must be a mapping, not {type(self.metadata).__qualname__}")
        tags = frozenset(self.tags) | {self.permission}
        if tags.issuperset(PERMISSIONS):
            raise CatalogError(f"{self.name} has permission {self.permission}, so it cannot have both permission tags")
        object.__setattr__(self, "tags", tags)

    @property
    def settings(self) -> ToolSettings:
        """What the metadata has under the keys of a tool, as values of their types. It is read once.

        Raises `CatalogError` for a value that cannot be read: of a damaged catalog, or of another version.
        """
        if self._settings is not None:
            return self._settings
        from toolgen.spec.tool_settings import settings_of  # what is only listed needs none

        try:
            settings = settings_of(self.metadata)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            from toolgen.runtime.catalog.definition_check import check_metadata

            check_metadata(self.name, self.metadata)
            raise CatalogError(f"the metadata of {self.name} cannot be read: {error}") from error
        object.__setattr__(self, "_settings", settings)
        return settings

    @property
    def kind(self) -> str:
        """The kind of the toolset of a compiled tool; of others, what their metadata says."""
        kind: str = self.metadata.get("kind", "")
        return kind

    @property
    def wire_name(self) -> str:
        """The name in requests to providers, before a provider spells it in its own way."""
        name: str = self.metadata.get("wire_name") or wire_name(self.name)
        return name

    @property
    def has_certain_result(self) -> bool:
        """Whether a result that does not fit its schema is a failure. Otherwise it is reported, and returned."""
        return not self.settings.result_inferred and self.settings.validate_responses

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> ToolDefinition:
        """Create a definition from plain data. Raises `CatalogError` for an unknown or missing field."""
        known = [each.name for each in fields(cls) if each.init]
        for key in mapping:
            if key not in known:
                meant = nearest(key, known, count=1)
                question = f"; did you mean {meant[0]!r}?" if meant else f"; known fields are {', '.join(known)}"
                raise CatalogError(f"a tool definition has no field {key!r}{question}")
        missing = [name for name in ("name", "description", "input_schema") if name not in mapping]
        if missing:
            raise CatalogError(f"a tool definition needs the field {missing[0]!r}")
        return cls(**mapping)


def source_of(kind: str, toolset: str, tags: Set[str]) -> Source:
    """Return the origin of a compiled tool. Plans and tasks are the rest of the built-in toolset `agent`."""
    if kind in ("mcp", "agent"):
        return "mcp" if kind == "mcp" else "agent"
    if kind in ("command", "http"):
        return "declarative"
    if "agent" in tags:
        return "agent"
    return "task" if toolset == "agent" else "code"


class PolicyEntry(NamedTuple):
    """The properties of a tool that policies decide by. `roles` is None if agents of any role may hold it.

    `hosts` are those that every call reaches, `*` if they are unknown; empty if args name them.
    """

    ident: str
    toolset: str
    tags: frozenset[str]
    permission: Permission
    roles: frozenset[str] | None
    confirm: str
    hosts: tuple[str, ...] = ()

    @property
    def is_repeatable(self) -> bool:
        """Whether a call can be made again without checking what an earlier one has changed."""
        return self.permission == "readonly" or "idempotent" in self.tags


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _are_words(tags: Iterable[object]) -> bool:
    try:
        return not isinstance(tags, str) and all(map(_is_text, tags))
    except TypeError:  # not iterable
        return False


def check_name(name: object) -> None:
    """Raise `CatalogError` if a name is not an ident: dotted, of letters, digits, `_` and `-`, no digit first."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CatalogError(
            f"{name!r} is not a valid tool name: it needs a dot, like `code.read_file`, and its parts "
            "have letters, digits, `_` and `-`, not starting with a digit or `-`"
        )
    server = _SERVER.fullmatch(name)
    if server and ("__" in server[1] or server[1].endswith("_")):
        raise CatalogError(
            f"{name!r} is not a valid tool name: the server id {server[1]!r} contains `__` or ends in `_`"
        )
