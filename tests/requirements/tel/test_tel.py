"""Requirements of the registry of tag tools that the compiler meets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.programs.type_checkers import Finding, mypy
from tests.project.checkout import ROOT
from tests.unit.compiler.specs import resolved, toolset
from tests.unit.spec.hostile_patterns import REFUSED, SLOW_ELSEWHERE
from toolgen.compiler.compile import generate
from toolgen.contract.records import ToolResult
from toolgen.llm.tags import TagRegistry, ToolContext, ToolDef, run_tags, tool_defs
from toolgen.runtime import load
from toolgen.spec.tag_pattern import TagPattern

if TYPE_CHECKING:
    from pathlib import Path

BOT = (ROOT / "specs/examples/bot/bot.yaml").read_text(encoding="utf-8")
WORDS = "toolgen: 1\ntags: {billing: Touches invoices.}\n"
ANN = ToolContext(user_message="What of tides?", user="@ann", chat_id=7)


def bot(**tools: dict[str, Any]) -> str:
    """A toolset of tag tools."""
    return toolset(tools, name="bot")


def test_tel_01_a_tag_has_these_keys_and_no_others() -> None:
    keys = {"prefix": "FIND", "pattern": "(.+)", "example": "FIND: x", "strip_from_display": False}
    assert resolved(bot(find={"tag": keys})).messages == []
    tag = resolved(bot(find={"tag": keys})).tools["bot.find"].tag
    assert tag is not None
    assert {name: getattr(tag, name) for name in keys} == keys
    for name in ("colour", "groups", "tag_prefix", "handler", "cost", "cooldown_seconds"):
        found = resolved(bot(find={"tag": {**keys, name: "red"}}))
        assert found.has_errors
        assert [message.split(" ", 2)[2] for message in found.messages] == [
            f"`{name}` is not a key of `tools.find.tag`"
        ]


def test_tel_01_a_tool_groups_the_other_fields_of_a_tool_def() -> None:
    limits = {"cooldown_seconds": 2.5, "daily_limit": 3}
    tool = resolved(bot(find={"tag": {}, "cost": "cheap", "gate": True, "limits": limits})).tools["bot.find"]
    assert (tool.cost, tool.gate, tool.limits.cooldown_seconds, tool.limits.daily_limit) == ("cheap", True, 2.5, 3)


def test_tel_02_optional_fields_have_these_defaults() -> None:
    tool = resolved(bot(find={"tag": {}})).tools["bot.find"]
    assert tool.tag is not None
    assert (tool.tag.prefix, tool.tag.pattern, tool.tag.groups) == ("FIND", "(.+)", ("raw_arg",))
    assert (tool.tag.example, tool.tag.strip_from_display) == ("", True)
    assert (tool.limits.cooldown_seconds, tool.limits.daily_limit) == (0, 0)


def test_tel_02_the_default_pattern_follows_from_the_required_args() -> None:
    args = {"category": {"enum": ["factual", "a+b"]}, "content": "string", "note?": "string"}
    tag = resolved(bot(learn={"args": args, "tag": {}})).tools["bot.learn"].tag
    assert tag is not None
    assert (tag.pattern, tag.groups) == (r"(factual|a\+b)\s+(.+)", ("category", "content"))


@pytest.mark.parametrize("cost", ["free", "cheap", "expensive"])
def test_tel_03_a_cost_is_one_of_three_values(cost: str) -> None:
    assert resolved(bot(find={"tag": {}, "cost": cost})).tools["bot.find"].cost == cost


def test_tel_03_any_other_cost_is_a_compile_error() -> None:
    found = resolved(bot(find={"tag": {}, "cost": "huge"}))
    message = '`cost` must be `free`, `cheap` or `expensive`, but is "huge"'
    assert [text.split(" ", 2)[2] for text in found.messages] == [message]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        (r"(\w+) (\w+)", "the pattern has 2 groups, and the tool has 1 required args: `raw_arg`"),
        (".+", "the pattern has 0 groups, and the tool has 1 required args: `raw_arg`"),
        ("(.+", "the pattern is not a regular expression: missing ), unterminated subpattern at position 0"),
    ],
)
def test_tel_18_a_pattern_whose_groups_differ_from_the_args_is_a_compile_error(pattern: str, problem: str) -> None:
    found = resolved(bot(find={"tag": {"pattern": pattern}}))
    assert [message.split(" ", 2)[2] for message in found.messages] == [problem]


def test_tel_18_two_tools_with_one_prefix_are_a_compile_error() -> None:
    found = resolved(bot(find={"tag": {}}, search={"tag": {"prefix": "FIND"}}))
    assert [message.split(" ", 2)[2] for message in found.messages] == ["two tag tools have the prefix `FIND`"]
    other = toolset({"search": {"tag": {"prefix": "FIND"}}}, name="other")
    found = resolved(bot(find={"tag": {}}), other)
    assert found.has_errors
    assert [message.split(" ", 2)[2] for message in found.messages] == ["two tag tools have the prefix `FIND`"]


@pytest.mark.parametrize("pattern", REFUSED)
def test_tel_15_a_pattern_without_a_time_bound_is_a_compile_error(pattern: str) -> None:
    found = resolved(bot(find={"tag": {"pattern": pattern}}))
    assert found.codes == ["TG407"]
    assert found.messages[0].split(" ", 2)[2].startswith(f"the pattern {REFUSED[pattern]}")


@pytest.mark.parametrize("pattern", [pattern for pattern, _ in SLOW_ELSEWHERE])
def test_tel_15_a_pattern_that_is_slow_only_in_other_engines_is_accepted(pattern: str) -> None:
    args = {f"arg_{number}": "string" for number in range(TagPattern.parse(pattern).groups)}
    tag = resolved(bot(find={"args": args, "tag": {"pattern": pattern}})).tools["bot.find"].tag
    assert tag is not None
    assert tag.pattern == pattern


USE = """\
from toolgen.runtime import ToolResult
from toolgen.llm.tags import TagRegistry, TagResult, ToolContext, ToolDef

ctx = ToolContext(raw_arg="x", user_message="y", user="@ann", chat_id=1, kb_context=None, confidence=None)
ctx = ToolContext(raw_arg="x", user_message="y", user="@ann", chat_id=1, kb_context="z", confidence=0.5)
ToolContext(user_message="y", user="@ann", chat_id="1")  # error
ToolContext(user_message="y", user=None, chat_id=1)  # error
ToolContext(user_message="y", user="@ann", chat_id=1, confidence="high")  # error
ToolContext(user="@ann", chat_id=1)  # error
ToolContext(raw_arg=None, user_message="y", user="@ann", chat_id=1)  # error
ToolContext(user_message=1, user="@ann", chat_id=1)  # error
ToolContext(user_message="y", user="@ann", chat_id=1, kb_context=2)  # error
arg: str = ctx.raw_arg
message: str = ctx.user_message
user: str = ctx.user
chat: int = ctx.chat_id
known: str = ctx.kb_context  # error
sure: float = ctx.confidence  # error
maybe: tuple[str | None, float | None] = (ctx.kb_context, ctx.confidence)

result = ToolResult[None](message=None, side_effects=("created:a.md",), audit={"query": "tides"})
ok: bool = result.success
said: str = result.message  # error
ToolResult[None](message=1)  # error
ToolResult[None](side_effects=(1,))  # error
ToolResult[None](audit=["tides"])  # error

tagged = TagResult(success=False, message=None, side_effects=["created:a.md"], audit={"query": "tides"})
failed: bool = tagged.success
told: str = tagged.message  # error
effects: list[str] = tagged.side_effects  # error
TagResult(success="no")  # error
TagResult(message=1)  # error
TagResult(side_effects=[1])  # error
TagResult(audit=["tides"])  # error


async def find(ctx: ToolContext) -> ToolResult[str]:
    return ToolResult(value=ctx.raw_arg, message=ctx.args["raw_arg"])


async def lose(ctx: ToolContext) -> TagResult:
    return TagResult(success=False, message=ctx.raw_arg)


def sync(ctx: ToolContext) -> ToolResult[str]:
    return ToolResult(value=ctx.raw_arg)


TagRegistry().register(ToolDef(name="find", description="Find.", tag_prefix="FIND", handler=find))
TagRegistry().register(ToolDef(name="lose", description="Lose.", tag_prefix="LOSE", handler=lose))
TagRegistry().register(ToolDef(name="find", description="Find.", tag_prefix="FIND", handler=sync))  # error
"""


def test_tel_04_tel_05_tel_33_contexts_results_and_handlers_are_type_checked(tmp_path: Path, mypy_cache: Path) -> None:
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    wrong = {number for number, line in enumerate(USE.splitlines(), 1) if line.endswith("# error")}
    found: list[Finding] = mypy(tmp_path, mypy_cache)
    assert {finding.line for finding in found} == wrong, "\n".join(map(str, found))


def package(folder: Path, name: str, *specs: str) -> str:
    """Compile specs to a package of that name, in a folder that is on the import path."""
    found = resolved(*specs)
    assert found.messages == []
    write(folder / name, generate(found.catalog))
    return name


def test_tel_14_the_sample_tools_are_those_of_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = {tool.name: tool for tool in tool_defs(load(package(tmp_path, "sample_bot", BOT, WORDS)))}
    assert found == {
        "research": ToolDef(
            name="research",
            description="Search X for recent posts on a topic. Results sent back to chat.",
            tag_prefix="RESEARCH",
            arg_pattern=r"(.+)",
            prompt_example="RESEARCH: [search query]",
            cost="cheap",
            requires_gate=False,
            cooldown_seconds=0,
            daily_limit=3,
        ),
        "source": ToolDef(
            name="source",
            description="Archive source material contributed by a user.",
            tag_prefix="SOURCE",
            arg_pattern=r"(.+)",
            prompt_example="SOURCE: [description]",
            cost="free",
            requires_gate=False,
            cooldown_seconds=0,
            daily_limit=0,
        ),
        "claim": ToolDef(
            name="claim",
            description="Draft a KB claim from a user's assertion.",
            tag_prefix="CLAIM",
            arg_pattern=r"(.+)",
            prompt_example="CLAIM: [specific assertion]",
            cost="free",
            requires_gate=False,
            cooldown_seconds=0,
            daily_limit=0,
        ),
        "learning": ToolDef(
            name="learning",
            description="Record a correction or new fact from conversation.",
            tag_prefix="LEARNING",
            arg_pattern=r"(factual|communication|structured_data)\s+(.+)",
            arg_groups=["category", "content"],
            prompt_example="LEARNING: [category] [what was learned]",
            cost="free",
            requires_gate=False,
            cooldown_seconds=0,
            daily_limit=0,
        ),
        "summarize": ToolDef(
            name="summarize",
            description="Generate a summary of the current conversation.",
            tag_prefix="SUMMARIZE",
            prompt_example="SUMMARIZE: [topic]",
            cost="cheap",
            requires_gate=True,
        ),
    }


async def echo(ctx: ToolContext) -> ToolResult[None]:
    return ToolResult(message=" + ".join(ctx.args.values()))


def test_tel_30_a_new_tool_is_one_entry_of_a_spec_and_one_handler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    before, _, entry = BOT.partition("  summarize:\n")
    assert entry
    answer = "Sure.\nSUMMARIZE: today\nCLAIM: tides turn"
    outputs: list[str] = []
    for name, spec, handlers in [
        ("bot_before", before, ["claim", "learning", "research", "source"]),
        ("bot_after", BOT, ["claim", "learning", "research", "source", "summarize"]),
    ]:
        registry = TagRegistry()
        registry.register_compiled(load(package(tmp_path, name, spec, WORDS)), dict.fromkeys(handlers, echo))
        turn = asyncio.run(run_tags(registry, answer, ANN))
        outputs += [registry.prompt_block(), turn.display, *turn.messages, *(entry["tool"] for entry in turn.audit)]
    first, second = outputs[:4], outputs[4:]
    assert first[1:] == ["Sure.\nSUMMARIZE: today", "tides turn", "claim"]
    assert second[1:] == ["Sure.", "tides turn", "today", "claim", "summarize"]
    assert second[0] == f"{first[0]}\n\nSUMMARIZE: [topic]\nGenerate a summary of the current conversation."
