"""The IR of a whole target: toolsets and their tools, agents, catalogs, policies, tag words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.ir.shapes import PACKAGE_MODULE, AliasType, ClassType
from toolgen.spec.tool_settings import ToolSettings

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.ir.shapes import Shape

# References in the args of actions: `$entry`, `$args` and `$args.name`, alone or in lists; `$$` is a literal `$`.

ENTRY: Final = "$entry"
ARGS: Final = "$args"
ARG: Final = "$args."


def references_in(value: Any) -> Iterator[str]:
    """The references that a value is made of."""
    if isinstance(value, list):
        for item in value:
            yield from references_in(item)
    elif isinstance(value, str) and (value in (ENTRY, ARGS) or value.startswith(ARG)):
        yield value


def args_read(value: Any) -> tuple[str, ...]:
    """The caller's args that a value is made of, by name."""
    return tuple(reference.removeprefix(ARG) for reference in references_in(value) if reference.startswith(ARG))


def takes_all(value: Any) -> bool:
    """Whether a value is made of all of the caller's args."""
    return ARGS in references_in(value)


def literal_of(value: str) -> str:
    """The text that a literal stands for."""
    return value[1:] if value.startswith("$$") else value


class ToolsetKind(StrEnum):
    """Who runs the tools of a toolset."""

    SERVICE = "service"
    AGENT = "agent"
    MCP = "mcp"
    COMMAND = "command"
    HTTP = "http"


class Permission(StrEnum):
    """Whether a call changes anything outside the core."""

    READONLY = "readonly"
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Schema:
    """One side of a tool: the JSON Schema, which decides, and the shape, which types.

    `json` stands alone: local types are under its `$defs` (`definitions` in draft-07), and it needs no file.
    `type_name` is the Python name of the value in the generated package, `secrets` the JSON pointers of
    fields marked as secret, with `*` for any index or key.
    """

    json: Any
    dialect: str
    shape: Shape
    type_name: str
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """How to connect to an MCP server: exactly one of `http`, `sse` and `stdio` is set."""

    http: str = ""
    sse: str = ""
    stdio: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    env: tuple[str, ...] = ()
    retries: int = 2
    on_drift: str = "refuse"


@dataclass(frozen=True, slots=True)
class Step:
    """How a transform fills one field of its target, from the attribute `source` (None if injected).

    `rebuilt` values are recreated as another class of the same fields; `optional` ones may be absent.
    """

    target: str
    shape: Shape
    source: str | None
    rebuilt: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Transform:
    """One side of a binding that fits. Without steps the value passes as it is; `extra` keys are carried along."""

    source_type: str
    target_type: str
    steps: tuple[Step, ...] = ()
    extra: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """The method a tool is bound to. A side that does not fit has no transform; the reason is a note of the build."""

    method: str
    to_payload: Transform | None
    to_result: Transform | None


@dataclass(frozen=True, slots=True)
class ToolNames:
    """The Python names of a tool. `function` is a method; `stem` is part of other names, and so may be a keyword."""

    constant: str
    function: str
    stem: str
    args: str
    result: str

    @property
    def call(self) -> str:
        """The function that builds a call."""
        return f"new_{self.stem}_call"

    @property
    def classes(self) -> tuple[str, str]:
        """The types of its two sides."""
        return (self.args, self.result)

    @property
    def claimed(self) -> tuple[str, ...]:
        """Every name it takes in the package of its toolset."""
        return (self.constant, *self.classes, self.call, self.function)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(ToolSettings):
    """One callable thing, complete: defaults filled in, references resolved.

    `remote` is its name at its source, also where that is its key; empty for a tool without a source.
    """

    ident: str
    key: str
    names: ToolNames
    title: str
    description: str
    args: Schema
    result: Schema
    permission: Permission
    span: Span
    tags: tuple[str, ...] = ()
    binding: Binding | None = None
    remote: str = ""
    wire_name: str = ""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the service that owns a toolset; tools bind to it. `function` is its name in Python."""

    name: str
    function: str
    payload: Schema
    result: Schema
    span: Span


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools with one owner and one kind. `package` is its place in the generated package, as path segments.

    `types` are all that its schemas need, those of shared files (of the module `PACKAGE_MODULE`) among them. `closed`
    are the requests of an API that no tool makes, such as those of disabled tools: no value of a path leads to them.
    """

    name: str
    kind: ToolsetKind
    package: tuple[str, ...]
    description: str
    tools: tuple[Tool, ...]
    types: tuple[ClassType | AliasType, ...]
    span: Span
    methods: tuple[Method, ...] = ()
    server: Server | None = None
    api: Mapping[str, Any] | None = None
    closed: tuple[Mapping[str, Any], ...] = ()
    exported_by: str = ""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who uses and exports toolsets. `package` is its place in the generated package, as path segments.

    `use`, `on_request` and `suggest` are selectors, `uses` the toolsets that they name, whole or in part.
    """

    name: str
    package: tuple[str, ...]
    description: str
    role: str
    system: str
    use: tuple[str, ...]
    on_request: tuple[str, ...]
    suggest: tuple[str, ...]
    export: tuple[str, ...]
    uses: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Action:
    """What an entry of a category does: a target ident and how its args are mapped.

    `split` maps an arg to the two parameters that it is cut into. `passed` are parameters that take the caller's arg of
    the same name. `schema` is what the caller's args look like; None where it is the target's own.
    """

    target: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    split: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    passed: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None

    @property
    def is_mapped(self) -> bool:
        """Whether its args are other than its target's."""
        return bool(self.args or self.split)


@dataclass(frozen=True, slots=True)
class Condition:
    """When something is seen: where a setting is set and not empty, and is one of `among`, or none of `except_`.

    `function` and `parameter` are the Python names of what decides it.
    """

    setting: str
    function: str
    parameter: str
    among: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Category:
    """Fixed entries (`actions`), or entries that come from the host (`resource`)."""

    name: str
    description: str
    needs: Condition | None
    formerly: tuple[str, ...]
    actions: Mapping[str, Action]
    resource: Action | None
    invoke: str


@dataclass(frozen=True, slots=True)
class Mandate:
    """A sentence of the system prompt for the tiers it names."""

    text: str
    tiers: tuple[str, ...]
    repeat: int


@dataclass(frozen=True, slots=True)
class ActionCatalog:
    """A catalog file: ordered categories over tools. `module` is that of its routing tables, in the package."""

    name: str
    module: str
    prompt: str
    categories: tuple[Category, ...]
    search_needs: Condition
    mandates: tuple[Mandate, ...]
    hot_list_size: int
    hot_list_seeds: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy file: what may be called, and who is asked. Rules map a selector to an answer.

    `registered` are patterns of tools that rules may name although no spec has them.
    """

    name: str
    rules: Mapping[str, str]
    roles: Mapping[str, Mapping[str, str]]
    modes: Mapping[str, Mapping[str, str]]
    registered: tuple[str, ...]
    approvers: Mapping[str, Mapping[str, Any]]
    network: Mapping[str, str]
    write_roots: tuple[str, ...]
    tmp: bool
    hard_links: bool
    sensitive: tuple[str, ...]
    env: tuple[str, ...]
    limits: Mapping[str, int]
    on_permission_deny: str
    span: Span


@dataclass(frozen=True, slots=True)
class Catalog:
    """Everything one target compiles to. Toolsets are sorted by name, tools by ident.

    `formats` is as configured. `shared_types` are the types of shared files; a toolset repeats those that it uses.
    """

    toolsets: tuple[Toolset, ...]
    agents: tuple[Agent, ...] = ()
    catalogs: tuple[ActionCatalog, ...] = ()
    policies: tuple[Policy, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    formats: str = "annotate"
    shared_types: tuple[ClassType | AliasType, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool, sorted by ident."""
        return tuple(sorted((tool for toolset in self.toolsets for tool in toolset.tools), key=lambda tool: tool.ident))


# Parts: a toolset with some of its tools, as it is resolved and kept, and the toolset that parts are joined to.


@dataclass(frozen=True, slots=True)
class Part:
    """A toolset with those of its tools that were resolved, and what is to know of it when parts are joined.

    `homes` are where its types come from, by their names: of named ones the file and the name there, of those within
    others the name of the outer one and the path there. `types` are those that the file declares, where the part has
    its head: all that belongs to no tool.
    """

    toolset: Toolset
    homes: Mapping[str, tuple[str, str]]
    types: tuple[str, ...] = ()


def joined(head: Part, parts: Sequence[Part]) -> Toolset:
    """Return the toolset of a head and of parts, in the order of the file, whose types of one name are the same."""
    types = {made.name: made for part in (*parts, head) for made in part.toolset.types}
    tools = sorted_tools(tool for part in (head, *parts) for tool in part.toolset.tools)
    closed = tuple(each for part in (head, *parts) for each in part.toolset.closed)
    return replace(head.toolset, tools=tools, types=tuple(sorted(types.values(), key=_rank)), closed=closed)


def sorted_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Return tools as a toolset has them."""
    return tuple(sorted(tools, key=lambda tool: tool.ident))


def _rank(made: ClassType | AliasType) -> tuple[bool, bool]:
    """Return what types are sorted by: classes first, and of both the own ones before shared ones."""
    return isinstance(made, AliasType), made.module == PACKAGE_MODULE
