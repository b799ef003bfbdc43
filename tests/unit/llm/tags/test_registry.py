"""The tag registry: registration and execution of tools."""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.llm.tags.bot import ANN, echo, learning, registry, tool
from toolgen.contract.records import FailureKind, ToolCallMeta, ToolError, ToolRequest, ToolResult
from toolgen.llm.tags import TagRegistry, TagResult, ToolContext, ToolDef
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, Runtime, ToolDefinition, deny_all, load
from toolgen.runtime.base.errors import CatalogError, ToolNotFound, ToolRateLimited
from toolgen.runtime.calls.call import GateDecision
from toolgen.runtime.policy.permission import Decision, PermissionRequest
from toolgen.runtime.policy.rate_limits import MemoryCounters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolgen.runtime.catalog.definition import Permission

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Clock:
    """A clock that only tests advance."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def run(made: TagRegistry, name: str, raw_arg: str = "tides", ctx: ToolContext = ANN) -> ToolResult[Any]:
    """Execute a tool in a new loop."""
    return asyncio.run(made.execute(name, context(raw_arg, ctx)))


def context(raw_arg: str, ctx: ToolContext = ANN, **fields: Any) -> ToolContext:
    return ToolContext(**{**vars(ctx), "raw_arg": raw_arg, **fields})


def fails_with(made: TagRegistry, *tools: ToolDef) -> str:
    """Return the error text of registering the last of these tools."""
    for each in tools[:-1]:
        made.register(each)
    with pytest.raises(CatalogError) as error:
        made.register(tools[-1])
    return str(error.value)


def test_tel_06_a_name_is_registered_once_and_the_first_tool_is_kept() -> None:
    made = registry(tool("claim", description="First."))
    assert fails_with(made, tool("claim", description="Second.", tag_prefix="OTHER")) == (
        "claim is already registered; names must be unique"
    )
    assert made.all_tools() == [tool("claim", description="First.")]
    assert "OTHER" not in made.tags
    handlers = dict.fromkeys(["claim", "learning", "research", "source", "summarize"], echo)
    with pytest.raises(CatalogError, match=r"^claim is already registered; names must be unique$"):
        made.register_compiled(load("generated"), handlers)
    assert made.get("claim") == tool("claim", description="First.")


def test_tel_07_tools_are_found_by_name_and_listed_by_name() -> None:
    made = registry(tool("source"), tool("claim"), tool("research"))
    assert made.get("claim") == tool("claim")
    assert made.get("CLAIM") is None
    assert [each.name for each in made.all_tools()] == ["claim", "research", "source"]


@pytest.mark.parametrize(
    "limits", [{"daily_limit": 1}, {"cooldown_seconds": 5}, {"daily_limit": 1, "cooldown_seconds": 5}]
)
def test_tel_09_limits_run_before_the_gate_and_the_gate_before_the_handler(limits: dict[str, int]) -> None:
    reached: list[str] = []

    class Gate:
        def check(self, tool: ToolDef, _ctx: ToolContext, /) -> GateDecision:
            reached.append(f"gate of {tool.name}")
            return GateDecision(approved=True)

    async def handler(_ctx: ToolContext) -> ToolResult[Any]:
        reached.append("handler")
        return ToolResult()

    made = registry(tool("research", handler, requires_gate=True, **limits), gate=Gate(), clock=Clock())
    run(made, "research")
    assert reached == ["gate of research", "handler"]
    for _ in range(2):
        with pytest.raises(ToolRateLimited):
            run(made, "research")
    assert reached == ["gate of research", "handler"]


def test_tel_10_tel_11_the_registry_adds_to_the_audit_and_keeps_other_entries() -> None:
    clock, seconds = Clock(), iter([100.0, 101.2349])
    clock.now = datetime(2026, 3, 1, 13, 30, tzinfo=timezone(timedelta(hours=1)))

    async def handler(_ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult(audit={"tool": "forged", "ts": 0, "duration_ms": "long", "query": "tides"})

    result = run(registry(tool("research", handler), clock=clock, monotonic=lambda: next(seconds)), "research")
    assert result.audit == {
        "query": "tides",
        "tool": "research",
        "ts": "2026-03-01T12:30:00+00:00",
        "duration_ms": 1234,
    }
    assert type(result.audit["duration_ms"]) is int


def test_tel_10_without_a_clock_of_the_host_the_audit_has_the_time_of_the_machine() -> None:
    async def handler(_ctx: ToolContext) -> ToolResult[Any]:
        await asyncio.sleep(0.02)
        return ToolResult(audit={"tool": 1, "ts": "never", "duration_ms": -1})

    before = datetime.now(UTC)
    audit = run(registry(tool("research", handler)), "research").audit
    after = datetime.now(UTC)
    ended = datetime.fromisoformat(audit["ts"])
    assert ended.utcoffset() == timedelta(0)
    assert before <= ended <= after
    assert type(audit["duration_ms"]) is int
    assert audit["duration_ms"] >= 15
    assert audit["tool"] == "research"


@pytest.mark.parametrize("success", [True, False])
@pytest.mark.parametrize("message", [None, "3 posts"])
def test_tel_05_a_handler_reports_success_message_side_effects_and_audit(success: bool, message: str | None) -> None:
    async def handler(_ctx: ToolContext) -> TagResult:
        return TagResult(success=success, message=message, side_effects=["searched:x:tides"], audit={"posts": 3})

    store = MemoryStore()
    result = run(registry(tool("research", handler), store=store, clock=Clock(), monotonic=lambda: 0), "research")
    assert (result.success, result.message, result.side_effects) == (success, message, ("searched:x:tides",))
    assert {key: result.audit[key] for key in ("posts", "tool", "side_effects")} == {
        "posts": 3, "tool": "research", "side_effects": ["searched:x:tides"],
    }  # fmt: skip
    if not success:
        assert result.error is not None
        assert (result.error.kind, result.error.code) == (FailureKind.DOMAIN_REJECTION, "tool_failed")
        assert result.error.message == (message or "the tool failed and gave no reason")


def test_tel_05_a_success_that_is_no_flag_is_malformed() -> None:
    async def handler(_ctx: ToolContext) -> TagResult:
        return TagResult(success="no")  # type: ignore[arg-type]  # under test

    result = run(registry(tool("research", handler)), "research")
    assert not result.success
    assert result.message == "`success` must be true or false, not 'no'"


def test_tel_10_the_audit_of_a_failure_is_completed_too() -> None:
    async def broken(_ctx: ToolContext) -> ToolResult[Any]:
        raise ValueError("the index is down")

    result = run(registry(tool("research", broken), clock=Clock(), monotonic=lambda: 0), "research")
    assert not result.success
    assert result.audit == {"tool": "research", "ts": "2026-03-01T12:00:00+00:00", "duration_ms": 0}
    assert result.message == "the index is down"


def test_tel_12_an_unknown_tool_raises_with_suggestions() -> None:
    with pytest.raises(ToolNotFound, match=r"no tool is named 'reserch'; did you mean research\?"):
        run(registry(tool("research")), "reserch")


def test_tel_12_a_call_over_a_limit_raises_in_execute_and_is_a_result_in_invoke() -> None:
    made = registry(tool("research", daily_limit=1), clock=Clock())
    run(made, "research")
    with pytest.raises(ToolRateLimited, match=r"^research cannot run: rate limit exceeded$") as error:
        run(made, "research")
    assert (error.value.name, error.value.retry_after) == ("research", 12 * 3600)
    result = asyncio.run(made.invoke("research", context("tides")))
    assert result.message == "research cannot run: rate limit exceeded"
    assert result.error is not None
    assert (result.error.kind, result.audit["tool"]) == (FailureKind.RATE_LIMITED, "research")


def test_tel_12_a_rate_limit_raised_by_a_handler_is_a_result() -> None:
    async def limited(_ctx: ToolContext) -> ToolResult[Any]:
        raise ToolRateLimited("the index", 5)

    async def refused(_ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult(error=ToolError(message="slow down", kind=FailureKind.RATE_LIMITED))

    made = registry(tool("claim", limited), tool("source", refused))
    assert run(made, "claim").message == "the index cannot run: rate limit exceeded"
    assert run(made, "source").message == "slow down"


@pytest.mark.parametrize("how", ["freeze", "a call"])
def test_tel_13_registration_is_refused_after_the_tools_are_fixed(how: str) -> None:
    made = registry(tool("claim"))
    made.prompt_block()
    made.register(tool("source"))
    if how == "freeze":
        made.freeze()
    else:
        run(made, "claim")
    assert fails_with(made, tool("research")) == "the registry is frozen: register tools before the first call"
    handlers = dict.fromkeys(["claim", "learning", "research", "source", "summarize"], echo)
    with pytest.raises(CatalogError, match=r"^the registry is frozen: register tools before the first call$"):
        made.register_compiled(load("generated"), handlers)
    assert [each.name for each in made.all_tools()] == ["claim", "source"]


def test_tel_18_a_prefix_belongs_to_one_tool_and_pattern_groups_are_the_args() -> None:
    assert fails_with(registry(), tool("claim"), tool("draft", tag_prefix="CLAIM")) == (
        "the tag CLAIM already calls claim; choose another one for draft"
    )
    assert fails_with(registry(), tool("claim", arg_pattern=r"(\w+) (.+)")) == (
        "the pattern of claim has 2 groups, and its args are raw_arg"
    )
    assert fails_with(registry(), tool("claim", arg_pattern=r"(.+) (.+)", arg_groups=["x", "x"])) == (
        "the pattern of claim has 2 groups, and its args are x, x"
    )
    assert fails_with(registry(), tool("claim", arg_pattern="(.+")) == (
        "the pattern of claim is not a regular expression: missing ), unterminated subpattern at position 0"
    )
    assert fails_with(registry(), tool("claim", arg_pattern=r"(a++)b")) == (
        "the pattern of claim uses a possessive repetition, `++`; write it without the last `+`"
    )
    for prefix in ("", "A: B", "A\nB", " A", "1A"):
        assert fails_with(registry(), tool("claim", tag_prefix=prefix)) == (
            f"the tag prefix of claim is {prefix!r}: write letters, digits, `_` and `-`, a letter first"
        )


def test_tel_21_tel_22_tel_23_the_gate_receives_tool_and_context_and_its_reason_is_the_message() -> None:
    seen: list[tuple[str | None, ...]] = []

    class Gate:
        async def check(self, tool: ToolDef, ctx: ToolContext) -> GateDecision:
            seen.append((tool.name, tool.cost, ctx.raw_arg, ctx.args.get("content"), ctx.kb_context))
            return GateDecision(approved=False, reason="not now")

    async def must_not_run(_ctx: ToolContext) -> ToolResult[Any]:
        raise AssertionError("it ran")

    made = registry(learning(handler=must_not_run, cost="expensive", requires_gate=True), tool("claim"), gate=Gate())
    result = run(made, "learning", "factual X is Y", context("", kb_context="tides are low"))
    assert (result.success, result.message) == (False, "not now")
    assert seen == [("learning", "expensive", "factual X is Y", "X is Y", "tides are low")]
    assert run(made, "claim").success
    assert len(seen) == 1


def test_tel_24_a_failing_gate_does_not_stop_a_call(caplog: pytest.LogCaptureFixture) -> None:
    class Gate:
        def check(self, _tool: ToolDef, _ctx: ToolContext, /) -> GateDecision:
            raise KeyError("x")

    ran: list[str] = []

    async def handler(ctx: ToolContext) -> ToolResult[Any]:
        ran.append(ctx.raw_arg)
        return ToolResult()

    assert run(registry(tool("claim", handler, requires_gate=True), gate=Gate()), "claim").success
    assert ran == ["tides"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_tel_28_research_of_the_sample_has_three_calls_a_day() -> None:
    clock = Clock()
    made = TagRegistry(clock=clock)
    names = ["claim", "learning", "research", "source", "summarize"]
    made.register_compiled(load("generated"), dict.fromkeys(names, echo), disabled_policies=["coding"])
    for _ in range(3):
        assert run(made, "research").success
    with pytest.raises(ToolRateLimited):
        run(made, "research")
    assert run(made, "research", ctx=context("", user="@ben")).success
    assert run(made, "source").success
    clock.now += timedelta(hours=12)
    assert run(made, "research").success


def test_tel_27_a_cooldown_applies_to_one_user() -> None:
    clock = Clock()
    made = registry(tool("claim", cooldown_seconds=30), clock=clock)
    assert run(made, "claim").success
    clock.now += timedelta(seconds=29)
    with pytest.raises(ToolRateLimited):
        run(made, "claim", ctx=context("", chat_id=8))
    assert run(made, "claim", ctx=context("", user="@ben")).success


def test_tel_26_without_a_gate_every_tool_runs() -> None:
    assert run(registry(tool("claim", requires_gate=True)), "claim").success


def test_tel_27_tel_28_tel_29_limits_are_per_user_across_chats() -> None:
    clock = Clock()
    made = registry(tool("research", daily_limit=2), tool("claim", cooldown_seconds=30), clock=clock)
    run(made, "research", ctx=context("", chat_id=1))
    run(made, "research", ctx=context("", chat_id=2))
    with pytest.raises(ToolRateLimited):
        run(made, "research", ctx=context("", chat_id=3))
    assert run(made, "research", ctx=context("", user="@ben")).success
    clock.now += timedelta(hours=12)
    assert run(made, "research").success
    assert run(made, "claim").success
    with pytest.raises(ToolRateLimited):
        run(made, "claim")
    clock.now += timedelta(seconds=30)
    assert run(made, "claim").success


def test_tel_28_registries_can_share_counters() -> None:
    shared = MemoryCounters()
    first, second = (registry(tool("research", daily_limit=1), counters=shared, clock=Clock()) for _ in range(2))
    run(first, "research")
    with pytest.raises(ToolRateLimited):
        run(second, "research")


def sync(_ctx: ToolContext) -> ToolResult[Any]:
    return ToolResult()


class Sync:
    def __call__(self, _ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult()


@pytest.mark.parametrize(
    ("handler", "name"), [(sync, "sync"), (lambda _ctx: None, "<lambda>"), (Sync(), "Sync"), (partial(sync), "partial")]
)
def test_tel_33_a_handler_is_async(handler: Any, name: str) -> None:
    made = registry()
    assert fails_with(made, tool("claim", handler)).endswith(
        f"{name} is not async, but handlers of tag tools must be: write `async def`"
    )
    assert made.all_tools() == []


def test_tel_33_a_handler_accepts_only_the_context() -> None:
    async def with_meta(_ctx: ToolContext, _meta: ToolCallMeta) -> ToolResult[Any]:
        return ToolResult()

    async def without() -> ToolResult[Any]:
        return ToolResult()

    class Async:
        async def __call__(self, ctx: ToolContext) -> ToolResult[Any]:
            return await echo(ctx)

    for wrong in (with_meta, without):
        text = fails_with(registry(), tool("claim", wrong))  # type: ignore[arg-type]  # under test
        assert "cannot run claim: it receives only a ToolContext" in text
    assert fails_with(registry(), tool("claim", None)) == "claim has no handler"
    for right in (Async(), partial(echo), echo):
        assert run(registry(tool("claim", right)), "claim").message == "tides"


def test_tel_33_a_handler_returns_a_result() -> None:
    async def text(_ctx: ToolContext) -> Any:
        return "done"

    result = run(registry(tool("claim", text)), "claim")
    assert result.error is not None
    assert result.error.kind is FailureKind.MALFORMED_RESULT
    assert result.message == "the handler returned str instead of a TagResult or a ToolResult"


def test_tel_34_side_effects_reach_the_result_the_audit_and_the_log_in_order() -> None:
    effects = ("searched:x:tides", "created:b.md", "created:a.md")

    async def handler(_ctx: ToolContext) -> ToolResult[Any]:
        return ToolResult(side_effects=effects)

    store = MemoryStore()
    made = registry(tool("research", handler), tool("claim"), store=store)
    result = run(made, "research")
    assert result.side_effects == effects
    assert result.audit["side_effects"] == [*effects]
    assert "side_effects" not in run(made, "claim").audit
    first, second = asyncio.run(stored(store))
    assert (first["side_effects"], "side_effects" in second) == ([*effects], False)


async def stored(store: MemoryStore) -> list[Mapping[str, Any]]:
    """Return the stored calls of the only run."""
    (summary,) = await store.runs()
    return [result.content for result in (await store.read(summary.run_id)).results]


def test_a_handler_receives_the_arg_and_its_parts() -> None:
    seen: list[ToolContext] = []

    async def handler(ctx: ToolContext) -> ToolResult[Any]:
        seen.append(ctx)
        return ToolResult()

    made = registry(learning(handler=handler))
    run(made, "learning", "factual X is Y", context("", confidence=0.5, args={"category": "forged"}))
    assert seen == [
        context("factual X is Y", confidence=0.5, args={"category": "factual", "content": "X is Y"}),
    ]


def test_an_invalid_arg_is_refused_before_anything_else() -> None:
    made = registry(learning(daily_limit=1))
    for raw_arg in ("other X", "", "factual " + "x" * 2048):
        result = run(made, "learning", raw_arg)
        assert result.message == "this does not match LEARNING: [category] [content]"
        assert result.error is not None
        assert result.error.kind is FailureKind.INVALID_CALL
    assert run(made, "learning", "factual X").success


def test_a_tool_without_args_is_called_only_by_its_exact_text() -> None:
    made = registry(tool("ping", arg_pattern="now|please", arg_groups=[]))
    assert run(made, "ping", "now").success
    assert run(made, "ping", "later").message == "this does not match PING: now|please"


def test_compiled_tools_are_registered_with_a_handler_each() -> None:
    made = TagRegistry()
    handlers = dict.fromkeys(["claim", "learning", "research", "source", "summarize"], echo)
    made.register_compiled(load("generated"), handlers)
    result = run(made, "learning", "factual X is Y")
    assert (result.message, result.tool_name, result.audit["tool"]) == ("factual + X is Y", "bot.learning", "learning")
    with pytest.raises(CatalogError, match=r"^summarize has no handler$"):
        TagRegistry().register_compiled(load("generated"), {key: echo for key in handlers if key != "summarize"})
    with pytest.raises(CatalogError, match=r"^there is no tag tool 'reserch'; did you mean 'research'\?"):
        TagRegistry().register_compiled(load("generated"), {**handlers, "reserch": echo})


@pytest.mark.parametrize("permission", ["readonly", "write"])
@pytest.mark.parametrize("tags", [set(), {"dangerous"}, {"network"}], ids="+".join)
@pytest.mark.parametrize("confirm", ["", "Sure?"])
@pytest.mark.parametrize(
    "access",
    [{}, {"read": ["raw_arg"]}, {"write": ["raw_arg"]}, {"hosts": ["api.example"]}],
    ids=str,
)
@pytest.mark.parametrize("raw_arg", ["notes.txt", ".env", "/etc/passwd"])
@pytest.mark.variants(36)
def test_what_asks_for_more_than_a_write_is_denied_where_nobody_is_asked(
    permission: Permission, tags: set[str], confirm: str, access: dict[str, Any], raw_arg: str
) -> None:
    """As by a runtime that denies what asks. That a registered tool may write is no question."""
    tag = {"prefix": "ACT", "pattern": "(.+)", "groups": ["raw_arg"], "example": "", "strip_from_display": True}
    schema = {"type": "object", "properties": {"raw_arg": {"type": "string"}}}
    metadata = {"tag": tag, "confirm": confirm, "access": access}

    def catalog(permission: Permission) -> Catalog:
        made = Catalog()
        made.register(
            ToolDefinition(
                name="a.act",
                description="Acts.",
                permission=permission,
                tags=tags,
                input_schema=schema,
                metadata={key: value for key, value in metadata.items() if value},
            ),
            lambda _args: "done",
        )
        return made

    asked: list[PermissionRequest] = []

    def permit(request: PermissionRequest) -> Decision:
        asked.append(request)
        return Decision.ALLOW_ONCE

    request = ToolRequest(name="a.act", payload=json.dumps({"raw_arg": raw_arg}))
    expected = asyncio.run(Runtime(catalog("readonly"), permission=deny_all).invoke(request))
    by_person = asyncio.run(Runtime(catalog(permission), permission=permit).invoke(request))
    for made, success in ((TagRegistry(), expected.success), (TagRegistry(permission=permit), by_person.success)):
        made.register_compiled(catalog(permission), {"act": echo})
        found = asyncio.run(made.invoke("act", context(raw_arg)))
        assert found.success == success
        assert found.success or "permission was denied" in (found.message or "")
    assert [each.reasons for each in asked[::2]] == [each.reasons for each in asked[1::2]]
