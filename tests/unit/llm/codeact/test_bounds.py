"""The costs of a snippet: bounds of the shown output, and of time."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.llm.codeact.code_host import QUICK, code_host
from toolgen.llm.codeact import CodeActLimits, SandboxPool
from toolgen.llm.codeact.session import Printed, one_line, result_report
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.sandbox.process import OUT_OF_TIME, Process, WorkerLost
from toolgen.llm.sandbox.worker import Finished
from toolgen.spec.text import escaped, is_hidden

if TYPE_CHECKING:
    from toolgen.llm.codeact import CodeAct

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

HIDDEN = st.text(st.sampled_from("ab\n\t\x00\x1b\u202e\U000e0001\ue000\u3164\\\"'é")) | st.text()


@given(text=HIDDEN, limit=st.integers(0, 40))
def test_printed_output_is_bounded_in_its_shown_form(text: str, limit: int) -> None:
    printed = Printed(limit)
    for char in text:
        printed.add(char)
    report = printed.report()
    body, _, cut = report.partition("\n[cut: these are the first ")
    shown = body.removeprefix("printed:").removeprefix("\n| ")
    assert len(shown) <= limit
    if not cut:
        assert shown.replace("\n| ", "\n") == "".join(
            escaped(char) if is_hidden(char) and char not in "\n\t" else char for char in text.removesuffix("\n")
        )


@given(value=HIDDEN, limit=st.integers(0, 60))
def test_a_result_is_bounded_in_its_shown_form(value: str, limit: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    shown, _, cut = result_report(text, limit).removeprefix("result: ").partition("\n[cut: ")
    assert len(shown) <= limit
    if not cut:
        assert json.loads(shown) == value


@given(HIDDEN)
def test_one_line_is_bounded_in_its_shown_form(text: str) -> None:
    assert len(one_line(text * 300)) <= 1001
    assert "\n" not in one_line(text)


@pytest.mark.parametrize("char", ["\\U000e0001", "\\n", "\\x00", "\\u202e", "a"])
def test_escapes_count_in_their_shown_form(char: str) -> None:
    limits = CodeActLimits(printed_chars=100, result_chars=100)
    reports = code_host().reports(
        f"print('{char}' * 5000)", f"result = '{char}' * 5000", f"raise ValueError('{char}' * 5000)", limits=limits
    )
    assert len(reports[0]) < 250
    assert len(reports[1]) < 250
    assert len(reports[2]) < 1_300
    assert all("[cut: these are the first " in report for report in reports[:2])


@pytest.mark.long
def test_the_wall_clock_time_of_a_process_is_bounded() -> None:
    process = Process(1.0)

    async def hang() -> None:
        def endless() -> Any:
            session = process.check_out()
            return session.feed_run("while True: pass")

        with pytest.raises(WorkerLost, match=OUT_OF_TIME):
            await process.call(0.4, endless)
        await process.end()

    asyncio.run(hang())
    assert process.is_lost


def test_the_time_limit_covers_all_parts_of_a_snippet_together() -> None:
    """Code that makes many calls has one time limit, not one for each part between two calls."""
    world = code_host()
    code = "while True:\n    for i in range(1000000): pass\n    lab__echo(x=1)"
    (report,) = world.reports(code, limits=CodeActLimits(seconds=0.4, calls=2_000))
    assert (
        report
        == "error: the code was stopped, because it exceeded its time limit; variables are as they were before it"
    )


def _processor_seconds(pid: int | None) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the processor time of a process is read in /proc")
def test_all_inputs_of_one_snippet_share_its_time_limit() -> None:
    limits = CodeActLimits(seconds=0.4)
    used: list[float] = []

    async def feed_on() -> str:
        async with SandboxPool().worker(limits, "border", None) as worker:
            try:
                while isinstance(await worker.feed("for i in range(1000000): pass", print), Finished):
                    used.append(_processor_seconds(worker.pid))
                    assert used[-1] - used[0] < 2 * limits.seconds
            except WorkerLost as error:
                return error.reason
        return ""

    assert asyncio.run(feed_on()) == OUT_OF_TIME
    assert len(used) > 1


def test_the_wall_clock_time_of_a_snippet_with_its_calls_is_bounded() -> None:
    cancelled: list[str] = []

    async def slow(args: Any) -> Any:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(args["x"])
            raise

    world = code_host(echo=slow)
    limits = CodeActLimits(total_seconds=0.5)
    codeact = world.codeact(limits=limits)
    reports = world.reports("a = 1", "a = 2\nlab__echo(x='slow')", "result = a", codeact=codeact)
    assert cancelled == ["slow"]
    assert reports[1] == (
        "error: the code was stopped, because it took more than 0.5 s with calls; variables are as they were before it"
    )
    assert reports[2] == "result: 1"


def test_a_slow_type_check_does_not_slow_down_later_snippets() -> None:
    """Two conversations are measured in turns, so that whatever else is busy slows both."""
    world = code_host()
    slowed, other = world.codeact(), world.codeact()
    slow = "\n".join(f"x{i} = {{'a': [{i}], 'b': x{i - 1}['b']}}" if i else "x0 = {'b': 1}" for i in range(500))

    async def timed(codeact: CodeAct) -> float:
        start = time.perf_counter()
        await codeact.execute(Turn(code="result = [n for n in range(3)]"), world)
        return time.perf_counter() - start

    async def run_all() -> list[tuple[float, float]]:
        for codeact in (slowed, other):
            await codeact.execute(Turn(code="result = 1"), world)
        for _ in range(3):
            await slowed.execute(Turn(code="n: int = 1\n" * 3000), world)
            await slowed.execute(Turn(code=slow), world)
        return [(await timed(slowed), await timed(other)) for _ in range(20)]

    times = asyncio.run(run_all())
    assert min(after for after, _ in times) < 3 * min(alone for _, alone in times) + 0.005


def test_snippets_run_in_processes_that_are_there() -> None:
    """Starting one takes five times as long as a snippet without calls."""
    world, pool = code_host(), SandboxPool()
    codeact = world.codeact(pool=pool)

    async def run_all() -> list[list[int]]:
        pids: list[list[int]] = []
        for number in range(9):
            outcome = await codeact.execute(Turn(code=f"a = {number}\nresult = [a, a + 1]"), world)
            assert outcome.report == f"result: [{number}, {number + 1}]"
            pids.append(sorted(pool.pids))
        return pids

    first, *others = asyncio.run(run_all())
    assert len(first) == 2  # one checks, one runs
    assert others == [first] * 8


def test_variables_keep_their_types_between_snippets() -> None:
    reports = code_host().reports(
        "a = 1\nb = ['x']\nc = {'k': 1.5}\ndef f(n: int) -> int: return n\nimport math\nwhere = 'up' if a else 'down'",
        "a + 'x'",
        "b.append('y')\nc['k'] = 2\nresult = [a, b, c, f(a), math.floor(1.5)]",
        "b.push(1)",
        "a = 'text'\nresult = a.upper()",
        "result = a.upper() + where",
        "raise KeyError(a)\nlate = 1",
        "result = a + nowhere",
        limits=QUICK,
    )
    assert "Operator `+` is not supported between" in reports[1]
    assert reports[2] == 'result: [1, ["x", "y"], {"k": 2}, 1, 1]'
    assert "has no attribute `push`" in reports[3]
    assert reports[4] == 'result: "TEXT"'
    assert reports[5] == 'result: "TEXTup"'
    assert "Name `nowhere` used when not defined" in reports[7]


def test_many_unused_variables_have_no_effect() -> None:
    many = "\n".join(f"v{i} = {i}" for i in range(400))
    assert code_host().reports(many, "result = [v0, v399]") == [
        "it ran; nothing was printed, and `result` was not bound",
        "result: [0, 399]",
    ]


def test_a_checker_that_uses_too_much_memory_is_replaced_and_the_check_repeated() -> None:
    pool = SandboxPool()
    world = code_host()
    codeact = world.codeact(pool=pool, limits=CodeActLimits(memory_bytes=24 * 1024 * 1024))
    for number in range(12):
        reports = world.reports(
            f"w{number} = [{', '.join(map(str, range(3000)))}]\nresult = w{number}[-1]", codeact=codeact
        )
        assert reports == ["result: 2999"], reports


@settings(max_examples=20, deadline=None)
@given(st.text(st.sampled_from("ab:_[]|, Literal\"'*\\"), max_size=60))
def test_a_type_is_declared_only_if_code_can_express_it(text: str) -> None:
    from toolgen.llm.codeact.session import History, _written

    written = _written(text, frozenset({"int", "Literal"}))
    history = History()
    history.learn({"a": written})
    source, _ = history.declarations(["a"], "_p")
    assert source.count("\n") == 2
