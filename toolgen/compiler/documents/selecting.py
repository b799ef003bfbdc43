"""The files that select tools: policies, agents and action catalogs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from toolgen.compiler.documents.base import (
    DottedName,
    NonEmpty,
    SelectorText,
    Spec,
    SpecFileHead,
    Text,
    ToolsetName,
    VariableName,
    Word,
)
from toolgen.spec.tool_settings import Role  # noqa: TC001  # pydantic reads it

Answer = Literal["exclude", "deny", "ask", "allow"]
Rules = dict[SelectorText, Answer]
Positive = Annotated[int, Field(ge=0)]


class PathsSpec(Spec):
    """Where tools may write, and which paths require permission to read."""

    write_roots: list[NonEmpty] = ["."]
    """Folders in which tools may write."""
    tmp: bool = False
    """Whether tools may also write in the folder for temporary files."""
    sensitive: list[NonEmpty] = []
    """Patterns of paths that require permission to read, in addition to those that always do: keys, `.env`, and files
    in which programs usually keep credentials and what was typed."""
    hard_links: bool = False
    """Whether files with several hard links are read without permission. Another of their names may be sensitive; but
    some package managers install all files so."""


class PolicyLimitsSpec(Spec):
    """Limits for all calls; 0 means no limit."""

    timeout_ms: Positive = 120_000
    """Timeout of a call in milliseconds, unless its tool has its own."""
    max_timeout_ms: Positive = 600_000
    """Maximum timeout of a tool in milliseconds."""
    result_bytes: Positive = 65_536
    """Maximum result size in bytes; a larger result is stored as an artifact."""
    children_per_run: Positive = 4
    """Maximum number of agents that a run may start."""
    children_per_session: Positive = 8
    """Maximum number of agents that run at the same time in a session."""


class ApproversSpec(Spec):
    """Who may answer the questions about a tool. What nobody can decide is refused."""

    user: bool = False
    """Whether only the user of the run may."""
    roles: list[NonEmpty] = []
    """Roles of people, of which whoever answers must have one."""
    people: Annotated[int, Field(ge=1, le=10)] = 1
    """How many different people must allow the call; one of them can deny it."""


class PolicyFile(SpecFileHead):
    """What may be called, and what requires permission."""

    policy: Word
    """The name of the policy."""
    rules: Rules = {}
    """Maps selectors to answers, as in `{shop.*: ask}`; the strictest match wins: exclude, deny, ask, allow."""
    roles: dict[Role, Rules] = {}
    """Additional rules for a role."""
    modes: dict[Word, Rules] = {}
    """Additional rules for a mode."""
    registered: list[SelectorText] = []
    """Names or patterns of tools that hosts may register: rules may name them although no spec defines them."""
    approvers: dict[SelectorText, ApproversSpec] = {}
    """Maps selectors to who may answer questions about such tools; of several all hold."""
    network: dict[NonEmpty, Literal["deny", "ask", "allow"]] = {"*": "ask"}
    """Maps hosts, without ports, to answers; `*.example.com` matches subdomains, and the most specific name wins."""
    paths: PathsSpec = PathsSpec.model_construct()
    """Where tools may write, and what requires permission to read."""
    env: list[VariableName] = ["PATH", "HOME", "TMPDIR"]
    """Environment variables that commands receive."""
    limits: PolicyLimitsSpec = PolicyLimitsSpec.model_construct()
    """Limits for all calls."""
    on_permission_deny: Literal["stop", "continue_readonly"] = "stop"
    """What happens to the other calls of a turn after the user denied one: none run, or only readonly ones."""


class AgentFile(SpecFileHead):
    """An agent: the tools it uses, and the toolsets it exports."""

    agent: DottedName
    """The name of the agent."""
    description: str = ""
    """The purpose of the agent."""
    role: Role = "main"
    """The role, which limits the tools it may hold. A run that a call started never has the role `main`, but `sub`."""
    system: str = ""
    """The system message of its runs."""
    use: list[SelectorText] = []
    """Selectors: its default tools."""
    on_request: list[SelectorText] = []
    """Selectors: tools that a dispatch may request beyond `use`."""
    suggest: list[SelectorText] = []
    """Selectors: tools to prefer; they grant nothing."""
    export: list[ToolsetName] = []
    """Toolsets of kind `agent` whose tools this agent runs."""


# Action catalogs.


class NotIn(Spec):
    """The setting is set, and its value is not in the list."""

    not_: Annotated[list[str], Field(alias="not")]
    """Values with which it does not hold."""


class In(Spec):
    """The setting's value is in the list."""

    in_: Annotated[list[str], Field(alias="in")]
    """Values with which it holds."""


Condition = NonEmpty | Annotated[dict[NonEmpty, NotIn | In], Field(min_length=1, max_length=1)]


class ActionSpec(Spec):
    """What invoking an entry does."""

    target: NonEmpty
    """The tool that is called: an ident, or a name in the toolset of `from`."""
    args: dict[NonEmpty, Any] = {}
    """Maps args of the target to values: `$entry`, `$args`, `$args.name`, or a literal. Default: the caller's args."""
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}
    """Maps an arg of the caller to the two args of the target that it is split into, such as `<server>__<tool>`."""


class CategorySpec(Spec):
    """Fixed entries (`actions`), or entries from the host (`target`)."""

    description: Text
    """Its line in the prompt, without tool names."""
    from_: Annotated[ToolsetName | None, Field(alias="from")] = None
    """The toolset in which tool names without a toolset are looked up. Default: that of the catalog."""
    needs: Condition | None = None
    """The setting that must be set for it to be visible, or the setting with the values that it may have."""
    formerly: list[NonEmpty] = []
    """Former names of the category: a model that lists one is told this name. Actions are invoked by this name only."""
    actions: dict[NonEmpty, NonEmpty | ActionSpec | None] | None = None
    """Maps fixed entries to the tools that they call. Default of an entry: the tool of the same name."""
    target: NonEmpty | None = None
    """The tool that is called for each entry of the host."""
    args: dict[NonEmpty, Any] = {}
    """Maps args of `target` to values: `$entry`, `$args`, `$args.name`, or a literal."""
    split: Annotated[dict[NonEmpty, NonEmpty], Field(max_length=1)] = {}
    """Maps an arg of the caller to the two args of `target` that it is split into, such as `<server>__<tool>`."""
    invoke: str = ""
    """What invoking an entry does, written for models; required with `target`."""


class SearchSpec(Spec):
    """The condition under which search is offered."""

    needs: Condition = "embedding_class"
    """The setting that must be set, or the setting with the values that it may have."""


class MandateSpec(Spec):
    """A sentence of the system prompt for the given tiers."""

    text: Text
    """The sentence; an entry is named as `category__entry`."""
    tiers: list[Literal["light", "strong"]] = ["light"]
    """The tiers of models that are told: small models (`light`), large ones (`strong`)."""
    repeat: Annotated[int, Field(ge=1, le=10)] = 3
    """How often the prompt repeats it."""


class HotListSpec(Spec):
    """Recently used entries, shown first."""

    size: Annotated[int, Field(ge=0)] = 0
    """Maximum number of entries; 0 means no list."""
    seeds: list[NonEmpty] = []
    """The initial entries, as `category__entry`."""


class CatalogFile(SpecFileHead):
    """An action catalog: ordered categories of entries, backed by tools."""

    catalog: Word
    """The name of the catalog."""
    from_: Annotated[ToolsetName | None, Field(alias="from")] = None
    """The toolset in which tool names without a toolset are looked up."""
    prompt: str = ""
    """The first paragraph of the prompt section on categories."""
    categories: dict[NonEmpty, CategorySpec]
    """The categories by name, in the order in which models see them."""
    search: SearchSpec = SearchSpec.model_construct()
    """When search is offered."""
    mandates: list[MandateSpec] = []
    """Sentences that tell models to use entries."""
    hot_list: HotListSpec = HotListSpec.model_construct()
    """The list of recently used entries."""
