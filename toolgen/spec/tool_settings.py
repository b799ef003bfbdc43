"""The keys of a tool: one descriptor for each, and their values as one record, for the compiler and the runtime.

`ToolSpec` declares a key to authors, with its grammar and its description. All else about it stands here, once: the
type and the default of its value, its name in a catalog, the rule that reports its change, and what documents for
people call it. The catalog, the forms of catalogs and definitions, `diff`, `show`, `TOOLS.md` and the site are made
from these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, Final, Literal, TypeAlias, TypeGuard

Role: TypeAlias = Literal["main", "sub", "fork", "worker"]
Cost: TypeAlias = Literal["free", "cheap", "expensive"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Key:
    """A key of a tool, by its name in a catalog.

    `spec` is its name in spec files, if that is another. `change` is the rule of `toolgen diff` that reports another
    value, and the message; without one, a rule of its own compares the values. `label` is what the lists of a tool's
    properties for people call it, with `is_listed` also that of `TOOLS.md`; without one, it is not in them. Values are
    shown as code, and as text with `is_prose`; `true_text` stands for true. `read` makes the value of what JSON has.
    """

    spec: str = ""
    change: tuple[str, str] | None = None
    label: str = ""
    is_listed: bool = False
    is_prose: bool = False
    true_text: str = ""
    read: Callable[[Any], Any] | None = None


def _about(**about: Any) -> Mapping[str, Key]:
    """Return the metadata of the field that a key has."""
    return {"key": Key(**about)}


@dataclass(frozen=True, slots=True)
class Access:
    """What a call touches. Each names args, except `hosts`, which are fixed host names."""

    read: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    exec: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ()
    url: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Access:
        """Return the record of a JSON object."""
        return cls(**{name: tuple(names) for name, names in given.items()})

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """What is not empty, by key."""
        return {each.name: names for each in fields(self) if (names := getattr(self, each.name))}

    @property
    def paths(self) -> tuple[str, ...]:
        """The args that are paths, which policies judge for each call."""
        return (*self.read, *self.search, *self.write, *self.cwd)

    @property
    def has_paths(self) -> bool:
        """Whether args are paths."""
        return bool(self.paths)

    @property
    def hosts_of_every_call(self) -> tuple[str, ...]:
        """The hosts that every call of a network tool reaches: `*` if they are unknown; none if args name them."""
        return self.hosts or (() if self.url else ("*",))


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a tool; 0 means none, None means the policy's."""

    cooldown_seconds: float = 0
    daily_limit: int = 0
    timeout_ms: int | None = None
    result_bytes: int | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Limits:
        """Return the record of a JSON object."""
        return cls(**given)

    @property
    def are_per_user(self) -> bool:
        """Whether calls are counted for each user."""
        return bool(self.cooldown_seconds or self.daily_limit)


@dataclass(frozen=True, slots=True)
class Tag:
    """How a tool is called by a line of text. `groups` are the wire names of the args, one per pattern group."""

    prefix: str
    pattern: str
    groups: tuple[str, ...]
    example: str
    strip_from_display: bool

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Tag:
        """Return the record of a JSON object."""
        read: dict[str, Any] = {**given, "groups": tuple(given["groups"])}
        return cls(**read)


@dataclass(frozen=True, slots=True)
class Example:
    """Args, and the result they give, where one is written down."""

    args: Any
    has_result: bool = False
    result: Any = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Example:
        """Return the record of a JSON object."""
        return cls(given.get("args"), "result" in given, given.get("result"))


def _examples(given: Sequence[Mapping[str, Any]]) -> tuple[Example, ...]:
    return tuple(map(Example.of, given))


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What a command tool runs. `exec` holds templates, or groups of templates that vanish with their argument."""

    exec: tuple[str | tuple[str, ...], ...] = ()
    shell: str = ""
    cwd: str = "."
    env: tuple[str, ...] = ()
    stderr_bytes: int = 8192

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> CommandSettings:
        """Return the record of a JSON object."""
        parts = tuple(each if isinstance(each, str) else tuple(each) for each in given.get("exec", ()))
        read: dict[str, Any] = {**given, "exec": parts, "env": tuple(given.get("env", ()))}
        return cls(**read)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A paged result: `cursor` is the arg that takes what the field `next` or the header `next_header` gave."""

    cursor: str
    next: str = ""
    next_header: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Bounded:
        """Return the record of a JSON object."""
        return cls(**given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """The values of the keys of a tool besides its texts, schemas, permission and tags, in the order of a catalog.

    `roles` None is any role. `source_name` is the name at the source, if it is not the key of the tool; `method` the
    method that it is bound to. `annotations` and `icons` are those of the server. `result_inferred` and
    `validate_responses` say whether the result schema is certain. `args_secrets` and `result_secrets` are JSON pointers
    of fields marked as secret, with `*` for any index or key.
    """

    roles: tuple[Role, ...] | None = field(default=None, metadata=_about(label="roles", is_listed=True, read=tuple))
    annotations: Mapping[str, Any] | None = field(
        default=None, metadata=_about(change=("MODEL107", "the annotations changed"))
    )
    result_inferred: bool | None = field(
        default=None, metadata=_about(change=("ROUTE208", "whether its result is checked changed"))
    )
    validate_responses: bool = field(
        default=True, metadata=_about(change=("ROUTE208", "whether its result is checked changed"))
    )
    source_name: str = field(
        default="",
        metadata=_about(
            spec="remote", change=("ROUTE106", "its name at the server changed"), label="name at its source"
        ),
    )
    imported: str = field(default="", metadata=_about())
    icons: tuple[Mapping[str, Any], ...] = field(
        default=(), metadata=_about(change=("MODEL107", "the icons changed"), read=tuple)
    )
    access: Access = field(
        default=Access(),
        metadata=_about(change=("ROUTE204", "what it touches changed"), label="touches", read=Access.of),
    )
    one_of: tuple[str, ...] = field(default=(), metadata=_about(label="exactly one of", is_listed=True, read=tuple))
    inject: tuple[str, ...] = field(
        default=(),
        metadata=_about(
            change=("ROUTE109", "the injected fields changed"), label="injected by the host", is_listed=True, read=tuple
        ),
    )
    limits: Limits = field(
        default=Limits(),
        metadata=_about(
            change=("ROUTE205", "the limits changed"),
            label="limits",
            is_listed=True,
            read=Limits.of,
        ),
    )
    cost: Cost = field(
        default="free", metadata=_about(change=("ROUTE206", "the cost changed"), label="cost", is_listed=True)
    )
    gate: bool = field(
        default=False,
        metadata=_about(
            change=("ROUTE206", "whether the eval gate must approve it changed"),
            label="gate",
            is_listed=True,
            true_text="checked before it runs",
        ),
    )
    retry_hints: bool = field(
        default=False,
        metadata=_about(
            change=("ROUTE208", "whether it gives retry hints changed"),
            label="retry hints",
            true_text="from the errors of the service",
        ),
    )
    confirm: str = field(
        default="",
        metadata=_about(
            change=("MODEL105", "the question before a call changed"), label="confirm", is_listed=True, is_prose=True
        ),
    )
    examples: tuple[Example, ...] = field(
        default=(),
        metadata=_about(change=("MODEL103", "the examples changed"), read=_examples),
    )
    tag: Tag | None = field(
        default=None, metadata=_about(change=("MODEL104", "the line of text that calls it changed"), read=Tag.of)
    )
    method: str = field(
        default="", metadata=_about(spec="bind", change=("ROUTE101", "it is bound to another method"), label="bound to")
    )
    handler: str = field(default="", metadata=_about(change=("ROUTE102", "another handler runs it"), label="handler"))
    user: str = field(default="", metadata=_about(change=("MODEL302", "the user message of its run changed")))
    system: str = field(default="", metadata=_about(change=("MODEL302", "the system message of its run changed")))
    command: CommandSettings | None = field(
        default=None,
        metadata=_about(change=("ROUTE103", "it runs another command"), label="runs", read=CommandSettings.of),
    )
    http: Mapping[str, Any] | None = field(
        default=None, metadata=_about(change=("ROUTE104", "it makes another request"), label="request")
    )
    hints: Mapping[str, str] = field(
        default_factory=dict[str, str], metadata=_about(change=("MODEL106", "the summaries changed"))
    )
    bounded: Bounded | None = field(
        default=None,
        metadata=_about(change=("WIRE401", "the paging changed"), label="paged", read=Bounded.of),
    )
    server_data: Mapping[str, Any] = field(
        default_factory=dict[str, Any], metadata=_about(change=("WIRE404", "the server data changed"))
    )
    reminder: str = field(
        default="", metadata=_about(change=("MODEL106", "the reminder changed"), label="reminder", is_prose=True)
    )
    args_secrets: tuple[str, ...] = field(
        default=(), metadata=_about(spec="args", change=("ROUTE207", "the secret args changed"), read=tuple)
    )
    result_secrets: tuple[str, ...] = field(
        default=(),
        metadata=_about(spec="result", change=("ROUTE207", "the secret fields of the result changed"), read=tuple),
    )


KEYS: Final[Mapping[str, Key]] = {
    "title": Key(change=("MODEL101", "the title changed")),
    "description": Key(change=("MODEL102", "the description changed")),
    "permission": Key(change=("ROUTE201", "the permission changed"), label="permission", is_listed=True),
    "tags": Key(label="tags", is_listed=True),
    "wire_name": Key(label="wire name"),
    **{each.name: each.metadata["key"] for each in fields(ToolSettings)},
}
"""The keys of a tool, by their names in a catalog. The two schemas have rules of their own for everything."""

TRUE_UNLESS_WRITTEN: Final = {each.name: True for each in fields(ToolSettings) if each.default is True}
"""The keys whose absence from a catalog means true."""

_READ: Final = {each.name: each.metadata["key"].read for each in fields(ToolSettings)}


def settings_of(entry: Mapping[str, Any]) -> ToolSettings:
    """Return the settings in an entry of a catalog, or in the metadata of a definition. Other members are left out."""
    found: dict[str, Any] = {}
    for name in _READ.keys() & entry.keys():
        value, read = entry[name], _READ[name]
        if value is not None:
            found[name] = value if read is None else read(value)
    return ToolSettings(**found)


_DEFAULTS: Final = ToolSettings()


def written(settings: ToolSettings) -> dict[str, Any]:
    """Return settings as JSON, without those that have their default: as an entry of a catalog has them."""
    values = {each.name: getattr(settings, each.name) for each in fields(ToolSettings)}
    return {name: as_json(value) for name, value in values.items() if value != getattr(_DEFAULTS, name)}


def as_json(value: Any) -> Any:
    """Return the value of a key as JSON. A record has what is required, not empty, or not its default."""
    if isinstance(value, Example):
        return {"args": value.args, "result": value.result} if value.has_result else {"args": value.args}
    if is_dataclass(value):
        members = [(each, getattr(value, each.name)) for each in fields(value)]
        return {
            each.name: as_json(member)
            for each, member in members
            if each.default is MISSING or member != each.default or member not in (None, "", (), 0)
        }
    return list(map(as_json, value)) if _is_tuple(value) else value


def _is_tuple(value: Any) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)
