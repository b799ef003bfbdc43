"""Fictional hosts: tools, policies, agents, runs and calls as plain data, and hypothesis strategies for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from toolgen.spec.builtin import BUILTIN_TOOLSETS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROLES: Final = ("main", "sub", "fork", "worker")
MODES: Final = ("plan", "free")
ANSWERS: Final = ("allow", "ask", "deny", "exclude")
NETWORK_ANSWERS: Final = ANSWERS[:3]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. `tags` are as compiled, including those that follow from its permission and its access."""

    ident: str
    permission: str
    tags: frozenset[str]
    roles: frozenset[str] | None
    confirm: str
    access: Mapping[str, list[str]]
    gate: bool

    @property
    def toolset(self) -> str:
        return self.ident.rpartition(".")[0]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """One policy; rules are selector -> answer, a network is host -> answer."""

    rules: Mapping[str, str]
    roles: Mapping[str, Mapping[str, str]]
    modes: Mapping[str, Mapping[str, str]]
    network: Mapping[str, str]
    on_permission_deny: str
    children_per_run: int


@dataclass(frozen=True, kw_only=True)
class Agent:
    """One compiled agent; the lists are of selectors."""

    role: str
    use: list[str]
    on_request: list[str]
    suggest: list[str]


@dataclass(frozen=True, kw_only=True)
class Start:
    """A run to be started in one of the sessions.

    Without `role` it has the agent's; without a request, all its tools.
    """

    agent: str
    role: str
    mode: str
    requested: list[str] | None
    session: int


@dataclass(frozen=True, kw_only=True)
class Url:
    """A URL and its host; None if clients disagree about the host."""

    text: str
    host: str | None


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call, and the answers of the host about it. The number is in its args."""

    number: int
    tool: str
    tool_call_id: str
    spelling: str = "ident"
    payload: str = "fits"
    url: Url | None = None
    what: Any = None
    hook: str = "passes"
    permission: str = "allow_once"
    gate: str = "approves"
    fails: bool = False
    says: str = ""
    """The code of the error that the handler gives, if any."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """Calls made in a run, by its number, or outside of any: as a turn, or one by one."""

    run: int | None
    way: str
    calls: list[Call]


@dataclass(frozen=True, kw_only=True)
class World:
    """A host and all its calls. `runners` specifies how each compiled toolset is run; others are registered.

    `wire_names` are the overrides of compiled tools, `permission` is `callback`, `allow_all` or `deny_all`, and with
    `later` its callbacks are async.
    """

    tools: list[Tool]
    policies: Mapping[str, Policy]
    in_force: list[str]
    agents: Mapping[str, Agent]
    starts: list[Start]
    steps: list[Step]
    runners: Mapping[str, str] = field(default_factory=dict[str, str])
    wire_names: Mapping[str, str] = field(default_factory=dict[str, str])
    permission: str = "callback"
    has_hooks: bool = False
    has_gate: bool = False
    later: bool = False


IDENTS: Final[tuple[str, ...]] = (
    "core.read",
    "core.read_all",
    "core.write",
    "Core.write",
    "core.Write",
    "web.get",
    "web.get.raw",  # its toolset has the name of another tool
    "webx.get",
    "x.y__z",
    "x__y.z",
    "mcp.files.read",
    "mcp.filesystem.read",
    "agent.plan_template",
    "agent.task_create",
    "agent.dispatch_worker",
    "agent.task_get",
    "internal.recall_memory",
    f"long.{'n' * 70}",
)

SELECTORS: Final = (
    *IDENTS,
    *("*", "core", "web", "web.get", "mcp", "mcp.files", "agent", "internal", "nothing"),
    *("core.*", "*.get", "web.*", "mcp.*", "*e*", "*.read", "m*.*d", "x*z", "*__*", "*.", "Core.*", "c*r*e", "**"),
    *("+write", "+readonly", "+dangerous", "+network", "+agent", "+network+dangerous", "+readonly+agent"),
    *("*+write", "core+readonly", "mcp.*+network", "core.*+dangerous", "web.get+readonly", "*get+write+network"),
    *("core__read", "core__write", "Core__write", "web__get", "mcp__files__read+readonly", "agent__task_get", "save"),
    *("core__*", "mcp__*+readonly", "*__read", "agent__task_*", "web_get", "core_read", "task_get", "x__y__z"),
)
"""Candidates for rules and the lists of agents."""

HOSTS: Final = (
    *("*", "example.com", "*.example.com", "api.example.com", "*.api.example.com", "evilexample.com", "*.com"),
    *("fixed.example.org", "*.org", "*.example.org"),
)

URLS: Final = (
    Url(text="https://example.com/x", host="example.com"),
    Url(text="https://api.example.com:8443/", host="api.example.com"),
    Url(text="https://API.Example.COM./", host="api.example.com"),
    Url(text="https://a.b.api.example.com", host="a.b.api.example.com"),
    Url(text="https://evilexample.com", host="evilexample.com"),
    Url(text="https://example.com.evil.org", host="example.com.evil.org"),
    Url(text="https://example.com@evil.org/", host=None),
    Url(text="https://[broken", host=None),
    Url(text="example.com", host=None),
)

ACCESSES: Final[tuple[Mapping[str, list[str]], ...]] = (
    {},
    {"scope": ["what"]},
    {"url": ["url"]},
    {"url": ["url"], "scope": ["what"]},
    {"hosts": ["fixed.example.org"]},
    {"hosts": ["fixed.example.org"], "url": ["url"]},
)

WHATS: Final = ("one", "two", None, "1", 1, 1.0, ["1"], [1], True, "true", "True", {"a": 1}, {"a": 1.0}, {"a": True})
"""Candidates for the arg that names a resource: texts, and values that look like them."""

SAID: Final = ("permission_denied", "permission_denied", "hook_denied", "tool_not_available", "skipped")
"""Codes of the runtime that a handler uses for its own failure."""

SPELLINGS: Final[Mapping[str, Callable[[str, str], str]]] = {
    # codes of an ident and its wire name
    "ident": lambda ident, _wire: ident,
    "wire": lambda _ident, wire: wire,
    "capitals": lambda ident, _wire: ident.upper(),
    "other_case": lambda ident, _wire: ident.swapcase(),
    "title": lambda ident, _wire: ident.title(),
    "wire_in_capitals": lambda _ident, wire: wire.upper(),
    "two_underscores": lambda ident, _wire: ident.replace(".", "__"),
    "underscore": lambda ident, _wire: ident.replace(".", "_"),
    "dots": lambda _ident, wire: wire.replace("__", "."),
    "slash": lambda ident, _wire: ident.replace(".", "/"),
    "key": lambda ident, _wire: ident.rpartition(".")[2],
    "without_first": lambda ident, _wire: ident.partition(".")[2],
    "blank_behind": lambda ident, _wire: f"{ident} ",
    "blank_before": lambda _ident, wire: f" {wire}",
    "line_break": lambda ident, _wire: f"{ident}\n",
    "nul": lambda ident, _wire: f"{ident}\0",
    "hidden_mark": lambda ident, _wire: f"{ident[:2]}\u200b{ident[2:]}",
    "wide": lambda ident, _wire: "".join(chr(ord(letter) + 0xFEE0) for letter in ident),
    "other_alphabet": lambda ident, _wire: ident.replace("e", "\u0435").replace("a", "\u0430"),
    "namespace": lambda ident, _wire: f"functions.{ident}",
    "server": lambda ident, _wire: f"mcp__{ident}",
    "no_text": lambda ident, _wire: f"{ident}\ud800",
    "nothing": lambda _ident, _wire: "",
}

_some: Final = st.sampled_from


def _mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """Draw one value in three of four cases."""
    return _some([usual] * 3 * len(others) + [*others])


_rules: Final = st.dictionaries(_some(SELECTORS), _some(("allow", "allow", "allow", "ask", *ANSWERS)), max_size=3)
_selectors: Final = _some((["*"], None)).flatmap(
    lambda all_of_them: st.just(all_of_them) if all_of_them else st.lists(_some(SELECTORS), min_size=2, max_size=8)
)
_policies: Final = st.builds(
    Policy,
    rules=_rules,
    roles=st.dictionaries(_some(ROLES), _rules, max_size=2),
    modes=st.dictionaries(_some(MODES), _rules, max_size=2),
    network=st.dictionaries(_some(HOSTS), _some(NETWORK_ANSWERS), max_size=4),
    on_permission_deny=_some(("continue_readonly", "stop")),
    children_per_run=_some((1, 2, 4)),
)
_agents: Final = st.builds(
    Agent,
    role=_mostly("main", *ROLES[1:]),
    use=_selectors,
    on_request=st.lists(_some(SELECTORS), max_size=4),
    suggest=_selectors,
)
_compiled_runners: Final = ("handlers", "executor", "raw_executor", "nobody")
_runners: Final = {False: _some((*_compiled_runners, *("registered",) * 5)), True: _some(_compiled_runners)}
"""By whether the names of the toolset are reserved, where no host can register a tool."""


_TAGS: Final[tuple[tuple[str, ...], ...]] = (
    *((), ("agent",), ("agent", "internal"), ("dangerous",), ("network",), ("agent", "dangerous")),
    ("network", "dangerous"),
)
_PERMISSIONS: Final = (
    *("allow_once", "allow_once", "allow_for_session", "allow_for_session", "allow_for_session", "allow_for_session"),
    *("deny", "yes", "nothing", "raises", "late"),
)


@st.composite
def _tools(draw: st.DrawFn, ident: str) -> Tool:
    permission = draw(_some(("readonly", "readonly", "write")))
    access = draw(_some(ACCESSES))
    tags = {permission, *draw(_some(_TAGS))}
    return Tool(
        ident=ident,
        permission=permission,
        tags=frozenset(tags | ({"network"} if {"url", "hosts"} & access.keys() else set())),
        roles=draw(st.none() | st.none() | st.none() | st.frozensets(_some(ROLES), min_size=1)),
        confirm=draw(_mostly("", "Really do {{args.what}}?")),
        access=access,
        gate=draw(st.booleans()),
    )


def _spellings(spelling: str) -> st.SearchStrategy[str]:
    return _some(sorted(SPELLINGS)) if spelling == "any" else st.just(spelling)


@st.composite
def _calls(draw: st.DrawFn, number: int, idents: list[str], *, is_typed: bool, has_ids: bool) -> Call:
    return Call(
        number=number,
        tool=draw(_some((idents[0], *idents))),
        spelling=draw(_some(("ident", "ident", "ident", "wire", "wire", "any")).flatmap(_spellings)),
        payload="fits" if is_typed else draw(_mostly("fits", "no_number", "no_json")),
        url=draw(_some((URLS[0], None, *URLS))),
        what=draw(_some(WHATS)),
        tool_call_id=draw(_some(("", "same", f"c{number}"))) if has_ids else f"c{number}",
        hook=draw(_mostly("passes", "denies", "raises")),
        permission=draw(_some(_PERMISSIONS)),
        gate=draw(_some(("approves", "approves", "approves", "refuses", "refuses", "raises", "nothing"))),
        fails=draw(_mostly(False, False, True)),
        says=draw(_mostly("", *SAID)),
    )


@st.composite
def _steps(draw: st.DrawFn, place: int, idents: list[str], starts: int) -> Step:
    run = draw(_some((None, *range(starts), *range(starts), *range(starts))))
    way = draw(_some(("invoke", "typed") if run is None else ("invoke", "typed", "turn", "turn")))
    size = draw(st.integers(2, 7))
    made = [
        draw(_calls(place * 100 + number, idents, is_typed=way == "typed", has_ids=way == "turn"))
        for number in range(size)
    ]
    return Step(run=run, way=way, calls=made)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a host and its calls."""
    size = draw(st.integers(2, 5))
    idents: list[str] = draw(st.lists(_some(IDENTS), min_size=size, max_size=size, unique=True))
    tools = [draw(_tools(ident)) for ident in idents]
    toolsets = dict.fromkeys(tool.toolset for tool in tools)
    runners = {toolset: draw(_runners[toolset in BUILTIN_TOOLSETS]) for toolset in toolsets}
    compiled = [tool.ident for tool in tools if not runners[tool.toolset].startswith("registered")]
    policies = {name: draw(_policies) for name in ("p", "q", "r")[: draw(_some((0, 1, 2, 2, 3)))]}
    agents = {name: draw(_agents) for name in ("one", "two")}
    in_force = draw(_some((sorted(policies), sorted(policies, reverse=True), sorted(policies)[:2])))
    modes = ["", *sorted({mode for name in in_force for mode in policies[name].modes})]
    starts = [
        Start(
            agent=draw(_some(sorted(agents))),
            role=draw(_mostly("", *ROLES)),
            mode=draw(_some(modes)),
            requested=draw(st.none() | st.none() | st.none() | st.lists(_some(idents), max_size=4)),
            session=draw(st.integers(0, 1)),
        )
        for _ in range(2)
    ]
    return World(
        tools=tools,
        runners={toolset: runner for toolset, runner in runners.items() if not runner.startswith("registered")},
        wire_names={ident: "save" for ident in compiled[:1] if draw(st.booleans())},
        policies=policies,
        in_force=in_force,
        agents=agents,
        starts=starts,
        permission=draw(_some(("callback", "callback", "callback", "callback", "allow_all", "deny_all"))),
        has_hooks=draw(st.booleans()),
        has_gate=draw(_some((True, True, False))),
        later=draw(st.booleans()),
        steps=[draw(_steps(place, idents, len(starts))) for place in range(draw(st.integers(2, 4)))],
    )
