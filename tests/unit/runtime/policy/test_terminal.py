"""The terminal prompt: its text, valid answers, and which question they answer. Pipes and terminals are real."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import termios
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.engine.app import add_policy
from tests.unit.runtime.tools import call, catalog_of, code_of, must_not_run, runtime_of
from toolgen.contract.records import ToolCallMeta
from toolgen.runtime.codec.codec import Codec
from toolgen.runtime.policy.approvers import Approver, Approvers, combined
from toolgen.runtime.policy.permission import Decision, PermissionDecision, PermissionRequest
from toolgen.runtime.policy.terminal import TerminalPrompt, question

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

ONCE, SESSION, DENY = Decision.ALLOW_ONCE, Decision.ALLOW_FOR_SESSION, Decision.DENY

REQUEST = PermissionRequest(
    tool_name="team.notes.add",
    permission="write",
    tags={"write"},
    arguments=b"{}",
    meta=ToolCallMeta(),
    summary='{"book": "home"}',
    scope=(("scope", "home"),),
    reasons=("write",),
)


class Pipe:
    """A prompt that reads from a pipe, its output, and the user's end of the pipe."""

    def __init__(self, files: ExitStack) -> None:
        program, self._person = os.pipe()
        self.stdin: TextIO = files.enter_context(os.fdopen(program))
        self._written = StringIO()
        self.prompt = TerminalPrompt(self.stdin, self._written)
        files.callback(self.hang_up)

    def send(self, text: str) -> None:
        os.write(self._person, text.encode())

    async def type(self, text: str) -> None:
        """Send text and wait until it has arrived."""
        self.send(text)

    def hang_up(self) -> None:
        if self._person >= 0:
            os.close(self._person)
            self._person = -1

    async def shows(self, text: str, times: int = 1) -> None:
        """Wait until it shows the text."""
        while self.screen().count(text) < times:
            await asyncio.sleep(0)

    def screen(self) -> str:
        return self._written.getvalue()


class Screen(Pipe):
    """The same with a pseudo-terminal."""

    def __init__(self, files: ExitStack) -> None:
        self._person, program = pty.openpty()
        os.set_blocking(self._person, False)
        self.stdin = files.enter_context(os.fdopen(program))
        stderr = files.enter_context(os.fdopen(os.dup(program), "w"))
        self.prompt = TerminalPrompt(self.stdin, stderr)
        self._shown = ""
        files.callback(self.hang_up)

    async def type(self, text: str) -> None:
        before = len(self.screen())
        self.send(text)
        while text.replace("\n", "\r\n") not in self.screen()[before:]:
            await asyncio.sleep(0)

    def screen(self) -> str:
        with suppress(BlockingIOError):
            self._shown += os.read(self._person, 65536).decode()
        return self._shown


@contextmanager
def pipe() -> Iterator[Pipe]:
    with ExitStack() as files:
        yield Pipe(files)


@contextmanager
def screen() -> Iterator[Screen]:
    with ExitStack() as files:
        yield Screen(files)


BOTH = pytest.mark.parametrize("opened", [pipe, screen])


def answer(typed: str, request: PermissionRequest = REQUEST) -> tuple[Any, str]:
    """Return the decision for a line, and the output."""
    with pipe() as terminal:
        terminal.send(typed)
        terminal.hang_up()
        return asyncio.run(terminal.prompt(request)), terminal.screen()


@pytest.mark.parametrize(
    ("typed", "decision", "outcome"),
    [
        ("y\n", ONCE, "allowed once"),
        ("s\n", SESSION, "allowed for this session"),
        ("n\n", DENY, "denied"),
        (" YES \r\n", ONCE, "allowed once"),
        ("Session\n", SESSION, "allowed for this session"),
        ("no\n", DENY, "denied"),
    ],
)
def test_reg_93_there_are_three_choices(typed: str, decision: Decision, outcome: str) -> None:
    found, shown = answer(typed)
    assert found is decision
    assert shown.endswith(
        f"Run it? [y] once, [s] for this session, with this scope, [d] no, and why, [n] no: {outcome}\n"
    )


ANN = Approver("ann", ("finance",), "terminal")


@pytest.mark.parametrize(
    ("approvers", "person", "why"),
    [
        (Approvers(people=2), None, "it needs the answer of 2 people, and nobody knows who answers here"),
        (Approvers(people=2), ANN, "it needs the answer of 2 people, and one person answers here"),
        (Approvers(roles=(("board",),)), ANN, "only board may answer"),
        (Approvers(user=True), ANN, "only bob may answer, the user of the run"),
        (Approvers(user=True), Approver("(somebody)"), "nobody knows who answers here"),
    ],
)
def test_what_the_person_at_the_terminal_alone_may_not_allow_is_denied_without_a_question(
    approvers: Approvers, person: Approver | None, why: str
) -> None:
    request = replace(REQUEST, approvers=approvers, meta=ToolCallMeta(user="bob"))
    with pipe() as terminal:
        terminal.send("y\n")
        found: Any = asyncio.run(TerminalPrompt(terminal.stdin, StringIO(), person=person)(request))
        assert asyncio.run(terminal.prompt(REQUEST)) is ONCE, "nothing was read"
    assert found.decision is DENY
    assert why in found.reason
    assert found.reason.endswith("; `toolgen runs approve` takes such answers, for durable runs")


@pytest.mark.parametrize("rule", [{"roles": ["finance", "board"]}, {"user": True}], ids=str)
def test_who_may_answer_is_shown_and_who_has_answered_is_told(rule: dict[str, Any]) -> None:
    with pipe() as terminal:
        catalog = catalog_of(lambda _args: "ran", permission="write")
        add_policy(catalog, {"approvers": {"own.tool": rule}})
        written = StringIO()
        terminal.send("y\n")
        prompt = TerminalPrompt(terminal.stdin, written, person=ANN)
        assert code_of(asyncio.run(call(runtime_of(catalog, permission=prompt), user="ann"))) == "ok"
    assert f"\n approvers | {combined([rule])}\n" in written.getvalue()


@pytest.mark.parametrize(
    "typed",
    [
        *("", "y", "\n", "\ny\n", "x\n", "yy\n", "y n\n", "allow_once\n", "1\n"),
        *("\x1b[Ay\n", "\0y\n", "\uff59\n", "\u0443\n", " " * 64 + "y\n", "y" + " " * 64 + "n\n"),
    ],
)
def test_reg_93_the_end_of_input_and_invalid_answers_are_denials(typed: str) -> None:
    found, shown = answer(typed)
    assert found is DENY
    assert shown.endswith(": denied\n")


@pytest.mark.parametrize(
    ("typed", "decision"),
    [
        (["x", "y"], ONCE),
        (["p", "maybe", "s"], SESSION),
        (["x", "y" + " " * 64, "n"], DENY),
        (["x", "x", "x"], DENY),
        (["x", ""], DENY),
        ([""], DENY),
    ],
)
def test_a_person_at_a_terminal_is_asked_again_for_a_clear_answer(typed: list[str], decision: Decision) -> None:
    async def ask(terminal: Screen) -> Any:
        asked = asyncio.create_task(terminal.prompt(REQUEST))
        for number, line in enumerate(typed, 1):
            await terminal.shows("[n] no: ", times=number)
            await terminal.type(f"{line}\n")
        return await asked

    with screen() as terminal:
        assert asyncio.run(asyncio.wait_for(ask(terminal), 30)) is decision
        assert terminal.screen().count("That is no answer.") == len(typed) - 1
        assert terminal.screen().count("asks to run") == 1


def test_what_was_typed_before_a_person_is_asked_again_is_no_answer() -> None:
    async def ask(terminal: Screen) -> Any:
        asked = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("[n] no: ")
        await terminal.type("x\ny\n")
        await terminal.shows("[n] no: ", times=2)
        await terminal.type("n\n")
        return await asked

    with screen() as terminal:
        assert asyncio.run(asyncio.wait_for(ask(terminal), 30)) is DENY


def test_without_a_scope_there_is_no_choice_for_the_session() -> None:
    found, shown = answer("s\n", replace(REQUEST, scope=None))
    assert found is DENY
    assert shown.endswith("Run it? [y] once, [d] no, and why, [n] no: denied\n")


@pytest.mark.parametrize(("content", "decision"), [("y\nn\n", ONCE), ("", DENY)])
def test_reg_93_stdin_may_be_a_file(tmp_path: Path, content: str, decision: Decision) -> None:
    (tmp_path / "answers").write_text(content)
    with (tmp_path / "answers").open() as stdin:
        assert asyncio.run(TerminalPrompt(stdin, StringIO())(REQUEST)) is decision


@pytest.mark.parametrize("file", ["/dev/null", "/proc/self/mem"], ids=["nothing", "nothing that can be read"])
def test_reg_93_stdin_may_be_empty(file: str) -> None:
    with Path(file).open() as stdin:
        assert asyncio.run(TerminalPrompt(stdin, StringIO())(REQUEST)) is DENY


@BOTH
def test_nothing_after_a_line_is_read(opened: Any) -> None:
    async def ask_twice(terminal: Pipe) -> list[Any]:
        first = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("no: ")
        await terminal.type("y\nthe host's own line\n")
        return [await first]

    with opened() as terminal:
        assert asyncio.run(ask_twice(terminal)) == [ONCE]
        assert os.read(terminal.stdin.fileno(), 100) == b"the host's own line\n"


def test_pending_lines_in_a_pipe_answer_one_question_each() -> None:
    async def ask(terminal: Pipe) -> list[Any]:
        return [await terminal.prompt(REQUEST) for _ in range(4)]

    with pipe() as terminal:
        terminal.send("y\ns\nn\n")
        terminal.hang_up()
        assert asyncio.run(ask(terminal)) == [ONCE, SESSION, DENY, DENY]


@BOTH
def test_concurrent_questions_are_asked_one_after_the_other(opened: Any) -> None:
    async def ask(terminal: Pipe) -> list[Any]:
        names = ["first.tool", "second.tool", "third.tool"]
        asked = [asyncio.create_task(terminal.prompt(replace(REQUEST, tool_name=name))) for name in names]
        for number, (name, typed) in enumerate(zip(names, "yns", strict=True), 1):
            await terminal.shows("no: ", times=number)
            assert terminal.screen().count("asks to run") == number
            assert f"{name} asks to run" in terminal.screen()
            await terminal.type(f"{typed}\n")
            await terminal.shows("\n", times=terminal.screen().count("\n") + 1)
        return await asyncio.gather(*asked)

    with opened() as terminal:
        assert asyncio.run(ask(terminal)) == [ONCE, DENY, SESSION]


@BOTH
def test_one_prompt_serves_several_event_loops(opened: Any) -> None:
    async def ask(terminal: Pipe, before: int) -> list[Any]:
        asked = [asyncio.create_task(terminal.prompt(REQUEST)) for _ in range(3)]
        for number in range(3):
            await terminal.shows("no: ", times=before + number + 1)
            await terminal.type("y\n")
        return await asyncio.gather(*asked)

    with opened() as terminal:
        assert [asyncio.run(ask(terminal, before)) for before in (0, 3)] == [[ONCE] * 3] * 2


@BOTH
@pytest.mark.parametrize("half", ["", "n", "yes and more"])
def test_the_answer_to_a_cancelled_question_goes_to_the_next_one(opened: Any, half: str) -> None:
    async def ask(terminal: Pipe) -> Any:
        await give_up(terminal, half)
        second = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("no: ", times=2)
        await terminal.type("y\n")
        return await second

    with opened() as terminal:
        assert asyncio.run(ask(terminal)) is ONCE
        assert "no answer" in terminal.screen()


@BOTH
@pytest.mark.parametrize("late", ["y\n", "es\n", "y\ny\n"])
def test_a_late_answer_is_not_used_for_the_next_question(opened: Any, late: str) -> None:
    async def ask(terminal: Pipe) -> Any:
        await give_up(terminal, "y" if late == "es\n" else "")
        await terminal.type(late)
        second = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("no: ", times=2)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not second.done()
        await terminal.type("n\n")
        return await second

    with opened() as terminal:
        assert asyncio.run(ask(terminal)) is DENY


async def give_up(terminal: Pipe, half: str) -> None:
    """Ask, type an incomplete line, and cancel the question."""
    first = asyncio.create_task(terminal.prompt(REQUEST))
    await terminal.shows("no: ")
    await terminal.type(half)
    for _ in range(20):
        await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert not asyncio.get_running_loop().remove_reader(terminal.stdin.fileno()), "it still reads"


def test_a_question_may_be_cancelled_while_the_answer_arrives() -> None:
    failures: list[Any] = []

    async def ask(terminal: Pipe) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, failure: failures.append(failure))
        asked = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("no: ")
        terminal.send("\n")
        await asyncio.sleep(0)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked

    with pipe() as terminal:
        asyncio.run(ask(terminal))
    assert failures == []


def test_input_typed_before_a_question_does_not_answer_it() -> None:
    async def ask(terminal: Screen) -> Any:
        await terminal.type("y\ny\ny")
        asked = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("no: ")
        await terminal.type("n\n")
        return await asked

    with screen() as terminal:
        assert asyncio.run(ask(terminal)) is DENY


def test_a_terminal_that_hangs_up_is_a_denial() -> None:
    async def ask(terminal: Screen) -> Any:
        prompt = TerminalPrompt(terminal.stdin, StringIO())
        asked = asyncio.create_task(prompt(REQUEST))
        await asyncio.sleep(0)
        terminal.hang_up()
        return await asked

    with screen() as terminal:
        assert asyncio.run(ask(terminal)) is DENY


def test_a_question_is_wrapped_to_the_columns_of_the_terminal() -> None:
    async def ask(terminal: Screen) -> str:
        termios.tcsetwinsize(terminal.stdin, (24, 44))
        asked = asyncio.create_task(terminal.prompt(replace(REQUEST, summary="x" * 70)))
        await terminal.shows("no: ")
        await terminal.type("n\n")
        await asked
        return terminal.screen()

    with screen() as terminal:
        shown = asyncio.run(ask(terminal))
    assert f" arguments | {'x' * 30}\r\n           | {'x' * 30}\r\n           | {'x' * 10}\r\n" in shown


def test_reg_93_a_call_waits_for_the_answer_and_a_timeout_is_a_denial() -> None:
    async def call_twice(terminal: Screen) -> list[str]:
        patient = runtime_of(catalog_of(), permission=terminal.prompt)
        hurried = runtime_of(catalog_of(must_not_run), permission=terminal.prompt, permission_timeout=0.01)
        ends = [await call(hurried)]
        waiting = asyncio.create_task(call(patient))
        await terminal.shows("no: ", times=2)
        await terminal.type("y\n")
        return [code_of(end) for end in [*ends, await waiting]]

    with screen() as terminal:
        assert asyncio.run(call_twice(terminal)) == ["permission_denied", "ok"]
        assert "no answer" in terminal.screen()


def test_reg_93_without_a_person_a_call_does_not_run() -> None:
    with pipe() as terminal:
        terminal.hang_up()
        runtime = runtime_of(catalog_of(must_not_run), permission=terminal.prompt)
        assert code_of(asyncio.run(call(runtime))) == "permission_denied"


def test_a_question_shows_the_content_of_the_request() -> None:
    request = PermissionRequest(
        tool_name="own.run_command",
        permission="write",
        tags={"write", "dangerous"},
        arguments=b"{}",
        meta=ToolCallMeta(agent_role="worker", agent_id="a-7"),
        summary='{"argv": ["rm", "-r", "build"]}',
        confirm="Run rm -r build?",
        scope=(("cwd", "/srv/app"), ("exec", "rm")),
        hosts=("example.org", "*"),
        cwd="/srv/app",
        env=("PATH", "HOME"),
        dangerous=True,
        reasons=("dangerous", "careful.rules: code.*"),
        hook="passed",
        suggested=DENY,
    )
    assert question(request) == (
        "\n"
        "own.run_command asks to run\n"
        "   confirm | Run rm -r build?\n"
        "permission | write, DANGEROUS\n"
        ' arguments | {"argv": ["rm", "-r", "build"]}\n'
        "    folder | /srv/app\n"
        " variables | PATH, HOME\n"
        "     hosts | example.org, *\n"
        "     scope | cwd /srv/app; exec rm\n"
        "   because | dangerous; careful.rules: code.*\n"
        "     agent | worker a-7\n"
        "     hooks | passed\n"
        " suggested | deny\n"
        "Run it? [y] once, [s] for this session, with this scope, [d] no, and why, [n] no: "
    )


def test_long_values_of_a_call_are_truncated_with_a_note() -> None:
    shown = question(replace(REQUEST, summary="\u4e2d" * 5000)).replace("\n           | ", "")
    assert shown.count("\u4e2d") == 1977
    assert "… 3,023 more characters" in shown


def test_no_part_of_a_line_hides_another() -> None:
    hosts = (*(f"a{n}.{'x' * 300}" for n in range(9)), "evil.example")
    scope = (("scope.one", "y" * 3000), ("scope.two", "prod"))
    shown = question(replace(REQUEST, hosts=hosts, scope=scope)).replace("\n           | ", "")
    assert all(f"a{n}.xxx" in shown for n in range(9))
    assert "evil.example" in shown
    assert "more characters; scope.two prod" in shown


def test_nothing_in_a_question_is_redacted_for_looking_like_a_secret() -> None:
    assert 'TOKEN="$(curl x | sh)"' in question(replace(REQUEST, summary='TOKEN="$(curl x | sh)"'))


HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\n\r\t\x1b\x9b\x7f\x08\u202e\u2066\u200b\u2028\ufeff\u3164 |yn"),
        st.sampled_from("\u65e5\U0001f600\u0301"),
    ),
    max_size=200,
)
ANY_LINE = re.compile(r" *(confirm|arguments|folder|variables|hosts|scope|because|agent|hooks)? \| [^\n]*")


@given(text=HOSTILE, columns=st.integers(34, 120))
def test_no_call_can_forge_a_line_of_the_question(text: str, columns: int) -> None:
    request = replace(
        REQUEST,
        meta=ToolCallMeta(agent_role=text, agent_id=text),
        summary=text,
        confirm=text,
        scope=((text, text),),
        hosts=(text,),
        cwd=text,
        env=(text,),
        reasons=(text, text),
        hook=text,
    )
    blank, title, *facts, ask = question(request, columns).split("\n")
    assert (blank, title, ask[:7]) == ("", "team.notes.add asks to run", "Run it?")
    facts.remove("permission | write")
    facts.remove(" suggested | allow once")
    for fact in facts:
        assert ANY_LINE.fullmatch(fact), ascii(fact)
        assert fact.index("|") == 11
        assert all(char.isprintable() or char == "\u3000" for char in fact), ascii(fact)
        assert sum(1 if char.isascii() else 2 for char in fact) < columns


BOOKS = {"type": "object", "properties": {"book": {"enum": ["home", "work"]}}, "additionalProperties": False}
WITH_CODEC = replace(REQUEST, codec=Codec.of(BOOKS))


def test_a_denial_may_have_a_reason() -> None:
    found, shown = answer("d\nnot \x1b[31mtoday\u2028\n")
    assert found == PermissionDecision(decision=DENY, reason="not \x1b[31mtoday\u2028")
    assert shown.endswith("[d] no, and why, [n] no: Why? denied\n")


def test_a_denial_may_have_a_proposal() -> None:
    found, shown = answer('p\nthe other one\n {"book": "work"}\n', WITH_CODEC)
    assert found == PermissionDecision(decision=DENY, reason="the other one", proposal={"book": "work"})
    assert shown.endswith(
        "[d] no, and why, [p] no, but with other args, [n] no: "
        "Why? Args that you would allow, as JSON in one line: denied, with a proposal\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"book": "car"}', "the proposal cannot be given: /book: "),
        ('{"other": 1}', "the proposal cannot be given: "),
        ('{"\\u001b[2J": 1}', "the proposal cannot be given: "),
        ("[]", "the proposal cannot be given: propose a JSON object of args"),
        ("{'book'}", "the proposal cannot be given: it is not JSON: key must be a string at line 1 column 2: write "),
        (
            '{"book": "\\ud800"}',
            "the proposal cannot be given: /book: it is not JSON: a lone surrogate: write ",
        ),
        ("[" * 10_000, "the proposal cannot be given: it is not JSON: "),
        ('{"\x1b[2J": 1}', "the proposal cannot be given: it is not JSON: "),
        ('{"book": "' + "x" * 70_000 + '"}', "the line has more than 65536 bytes"),
    ],
    ids=lambda each: str(each)[:15],
)
def test_an_invalid_proposal_is_asked_for_again(line: str, problem: str) -> None:
    async def ask(terminal: Pipe) -> Any:
        asked = asyncio.create_task(terminal.prompt(WITH_CODEC))
        text = f'p\n\n{line}\n{{"book": "home"}}\n'
        sending = asyncio.create_task(asyncio.to_thread(terminal.send, text))  # a pipe holds less
        await sending
        return await asked

    with pipe() as terminal:
        found = asyncio.run(ask(terminal))
        assert found == PermissionDecision(decision=DENY, proposal={"book": "home"})
        shown = terminal.screen()
    assert f"one line: {problem}" in shown
    assert shown.count("Args that you would allow") == 2
    assert shown.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("p\n", ""), ("p\nwhy\n", "why"), ("p\nwhy\n\n", "why"), ("p\nwhy\n{}x\n", "why"), ("d\n", ""), ("d\n\n", "")],
)
def test_the_end_of_input_denies_without_a_proposal(typed: str, reason: str) -> None:
    found, shown = answer(typed, WITH_CODEC)
    assert found == PermissionDecision(decision=DENY, reason=reason)
    assert shown.endswith((": denied\n", "? denied\n"))


def test_where_the_args_are_not_known_there_can_be_no_proposal() -> None:
    found, shown = answer('p\nwhy\n{"book": "work"}\n')
    assert (found, "other args" in shown) == (DENY, False)


def test_a_long_reason_is_asked_for_again() -> None:
    found, shown = answer(f"d\n{'x' * 5_000}\nshort\n")
    assert found == PermissionDecision(decision=DENY, reason="short")
    assert "Why? the line has more than 4000 bytes\nWhy? denied\n" in shown


def test_a_prompt_that_is_cancelled_at_its_second_line_uses_no_late_answer() -> None:
    async def ask(terminal: Pipe) -> Any:
        first = asyncio.create_task(terminal.prompt(WITH_CODEC))
        terminal.send("p\n")
        await terminal.shows("Why? ")
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        terminal.send("y\n")
        second = asyncio.create_task(terminal.prompt(WITH_CODEC))
        await terminal.shows("no: ", times=2)
        terminal.send("n\n")
        return await second

    with pipe() as terminal:
        assert asyncio.run(ask(terminal)) is DENY


def test_the_model_reads_what_was_typed() -> None:
    with pipe() as terminal:
        catalog = catalog_of(must_not_run, input_schema=BOOKS)
        terminal.send('p\nthe other one\n{"book": "work"}\n')
        result = asyncio.run(call(runtime_of(catalog, permission=terminal.prompt), payload='{"book": "home"}'))
    assert code_of(result) == "permission_denied"
    assert result.content[0].data.endswith('asks again): {"book":"work"}')
    assert "permission was denied: the other one\n" in result.content[0].data


def test_of_two_programs_at_a_terminal_one_asks_at_a_time() -> None:
    async def check(terminal: Screen) -> None:
        other = TerminalPrompt(terminal.stdin, terminal.prompt._stderr)  # with a lock of its own, as another process
        first = asyncio.create_task(terminal.prompt(REQUEST))
        await terminal.shows("Run it?")
        second = asyncio.create_task(other(replace(REQUEST, tool_name="team.notes.wipe")))
        await asyncio.sleep(0.2)
        assert "team.notes.wipe" not in terminal.screen()
        await terminal.type("y\n")
        assert await first is ONCE
        await terminal.shows("team.notes.wipe asks to run")
        await terminal.shows("Run it?", 2)
        await terminal.type("n\n")
        assert await second is DENY

    with screen() as terminal:
        asyncio.run(check(terminal))
