"""CodeAct: the surface shown to a model, the interpretation of its answers, and the execution of its code."""

from __future__ import annotations

import asyncio
import json
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.llm.codeact.code_host import CodeHost, candidates_of, code_host, reply, tool
from tests.unit.runtime.endings import IN_OWN_TASKS
from tests.unit.runtime.runs.test_runs import run_of
from tests.work import assert_linear
from toolgen.contract.records import FailureKind, ToolRequest
from toolgen.llm.codeact import CodeAct, CodeActLimits, CompiledStubs
from toolgen.llm.codeact.presentation import read_fences
from toolgen.llm.conversation import CallRequested, Conversation
from toolgen.llm.presentations.protocol import Turn
from toolgen.providers.protocol import ModelReply
from toolgen.providers.table import provider
from toolgen.record.memory import MemoryStore
from toolgen.runtime import Catalog, ToolDefinition, allow_all, deny_all
from toolgen.runtime.base.errors import CallFailed, CatalogError
from toolgen.runtime.policy.permission import Decision
from toolgen.testing import ScriptedModel

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolgen.runtime.policy.permission import PermissionRequest

TWO_CALLS = """\
I will add them.

```python
first = lab__echo(x=20)
second = lab__echo(first + 1)
result = first + second
```
"""


def refused(codeact: CodeAct, answer: ModelReply) -> str:
    """Return why an answer makes no call."""
    action = codeact.interpret(answer)
    return action.calls[0].refusal


def feedback(codeact: CodeAct, outcome: Turn) -> str:
    return asyncio.run(codeact.format_feedback(outcome)).report


def test_tus_16_two_calls_and_arithmetic_in_one_block_give_a_result() -> None:
    world = code_host()
    codeact = world.codeact()
    action = codeact.interpret(reply(TWO_CALLS))
    assert not action.is_final
    assert action.text == "I will add them."
    outcome = asyncio.run(codeact.execute(action, world))
    assert feedback(codeact, outcome) == "result: 41"
    assert [(each.name, each.payload) for each in world.requests] == [
        ("lab.echo", '{"x": 20}'),
        ("lab.echo", '{"x": 21}'),
    ]
    assert [result.value for result in outcome.results] == [20, 21]


def test_a_chain_of_dependent_calls_takes_one_turn_and_every_call_has_a_unique_id() -> None:
    world = code_host()
    (outcome,) = world.outcomes("x = 0\nfor _ in range(7):\n    x = lab__echo(x=x) + 1\nresult = x")
    assert outcome.report == "result: 7"
    assert len({result.tool_call_id for result in world.results}) == 7
    assert all(each.tool_call_id == "" for each in world.requests)


@pytest.mark.parametrize(
    "answer", ["hi", "", "Use `lab__echo(x=1)`.", "    lab__echo(x=1)", "```json\n{}\n```", "```bash"]
)
def test_tus_21_23_an_answer_without_a_code_block_is_final(answer: str) -> None:
    assert code_host().codeact().interpret(reply(answer)) == Turn(text=answer)


@given(st.text(alphabet=st.sampled_from("`~ \n\rpy:{}x\u2028"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_tus_21_every_answer_can_be_interpreted(answer: str) -> None:
    action = CODEACT.interpret(reply(answer))
    if "```" not in answer and "~~~" not in answer:
        assert action == Turn(text=answer)
    assert action.is_final == (action.code is None and not action.calls)


CODEACT = code_host().codeact()


@pytest.mark.parametrize("fence", ["```python", "```", "```py", "~~~", "````python", "``` Python3", "  ```python"])
def test_tus_21_one_code_block_is_the_action(fence: str) -> None:
    marks = fence.strip().rstrip("python3PYTHON ").rstrip()
    assert CODEACT.interpret(reply(f"So:\n{fence}\nresult = 1\n{marks}")) == Turn(code="result = 1", text="So:")


def test_several_blocks_are_run_as_one_and_blocks_of_other_languages_are_text() -> None:
    action = CODEACT.interpret(reply("```python\na = 1\n```\nthen\n```json\n{}\n```\n```\nresult = a\n```"))
    assert action == Turn(code="a = 1\nresult = a", text="then\n```json\n{}\n```")


@pytest.mark.parametrize("answer", ["~~~{}`", "```{}`", "```{}x", "{}", "```\n{}"])
def test_reading_an_answer_takes_time_in_proportion_to_its_length(answer: str) -> None:
    for part in (" ", "\t", "`", "~", "~`", "```\n", "~~~ `\n"):
        assert_linear(partial(_reading, answer, part), 100_000)


def _reading(answer: str, part: str, size: int) -> Callable[[], object]:
    return partial(read_fences, answer.replace("{}", part * (size // len(part))))


def test_a_fence_is_not_closed_by_a_shorter_one() -> None:
    action = CODEACT.interpret(reply("````python\nresult = '''\n```\n'''\n````"))
    assert action == Turn(code="result = '''\n```\n'''")


def test_a_truncated_block_is_not_run() -> None:
    reason = refused(CODEACT, reply("```python\nresult = lab__echo("))
    assert reason == "nothing was run: the block of code has no end; write it again, shorter, and close it with ```"
    action = CODEACT.interpret(reply("```python\nresult = lab__echo("))
    world = code_host()
    assert feedback(CODEACT, asyncio.run(CODEACT.execute(action, world))) == reason
    assert not world.requests


def test_a_native_call_is_refused_and_answered_by_its_id() -> None:
    world = code_host()
    codeact = world.codeact()
    action = codeact.interpret(ModelReply(calls=(ToolRequest(name="lab__echo", payload="{}", tool_call_id="t1"),)))
    said_back = asyncio.run(codeact.format_feedback(asyncio.run(codeact.execute(action, world))))
    assert [(each.tool_call_id, each.name, each.text) for each in said_back.answers] == [
        ("t1", "lab__echo", "nothing was called: call functions in a ```python block")
    ]
    assert said_back.report == ""
    assert [each.name for each in world.requests] == ["lab__echo (not offered)"]
    assert [each.error.kind for each in world.results if each.error] == [FailureKind.TOOL_NOT_AVAILABLE]


def test_tus_22_every_name_that_can_be_called_is_in_the_surface() -> None:
    world = code_host(echo=lambda args: args, other=lambda args: args)
    listing = world.codeact().build_presentation()
    for name in ("lab__echo", "lab__other"):
        assert f"def {name}(x: Any) -> Any:" in listing.prompt


def test_tus_26_nothing_is_advertised_and_all_candidates_can_be_dispatched() -> None:
    world = code_host()
    codeact = world.codeact()
    listing = codeact.build_presentation()
    assert listing.tools == ()
    assert "lab.echo" in listing.dispatchable
    assert "lab.other" not in listing.dispatchable
    assert codeact.build_presentation() is listing
    assert world.reports("result = lab__echo(x=1)", codeact=codeact) == ["result: 1"]


def test_two_tools_with_the_same_function_name_are_an_error() -> None:
    catalog = code_host(echo=lambda args: args, other=lambda args: args).catalog
    stubs = CompiledStubs(
        b'{"tools": {"lab.other": {"function": "lab__echo", "source": "def lab__echo() -> Any: ..."}}}'
    )
    with pytest.raises(CatalogError, match=r"^lab\.echo and lab\.other would both be the function lab__echo$"):
        CodeAct(candidates_of(catalog), stubs=stubs).build_presentation()


def test_type_errors_are_reported_and_nothing_runs() -> None:
    catalog = Catalog()
    number = {"type": "integer"}
    tool(catalog, "lab.add", lambda args: args["a"] + args["b"], a=number, b=number)
    world = CodeHost(catalog)
    (report,) = world.reports("lab__add(a=1, b=2)\nresult = lab__add(a=1, b='2')\nresult = lab__ad(a=1, b=2)")
    assert report == (
        "nothing was run, because the type checker found:\n"
        'line 2: Argument to function `lab__add` is incorrect: Expected `int`, found `Literal["2"]`\n'
        "line 3: Name `lab__ad` used when not defined; did you mean `lab__add`?"
    )
    assert [each.name for each in world.requests] == ["lab__ad (not offered)"]
    assert [each.error.kind for each in world.results if each.error] == [FailureKind.TOOL_NOT_AVAILABLE]


def test_a_syntax_error_names_its_line() -> None:
    (first, report) = code_host().reports("a = 1\nb = 2", "c = 3\ndel c")
    assert first == "it ran; nothing was printed, and `result` was not bound"
    assert report.startswith("nothing was run: line 2: NotImplementedError: ")


def test_variables_persist_between_snippets_and_may_change_type() -> None:
    world = code_host()
    reports = world.reports(
        "a = lab__echo(x=1)\ndef twice(n: int) -> int:\n    return 2 * n\nresult = a",
        "result = [twice(a)]",
        "result = {'was': result}",
    )
    assert reports == ["result: 1", "result: [2]", 'result: {"was": [2]}']


def test_a_snippet_may_change_the_type_of_a_variable_used_by_earlier_code() -> None:
    reports = code_host().reports("a = 1\ndef f() -> int:\n    return a\nresult = f()", "a = 'x'\nresult = a")
    assert reports == ["result: 1", 'result: "x"']


def test_variables_assigned_before_an_exception_persist() -> None:
    reports = code_host().reports(
        "a = lab__echo(x=5)\nb = 1 / 0", "result = a", "raise KeyError('k')\nb = 1", "c: int = 'x'"
    )
    assert reports[:3] == [
        "error: line 2: ZeroDivisionError: division by zero in `b = 1 / 0`",
        "result: 5",
        "error: line 1: KeyError: 'k' in `raise KeyError('k')`",
    ]
    assert reports[3].endswith('\nline 1: Object of type `Literal["x"]` is not assignable to `int`')


def test_printed_output_is_returned_even_before_an_error() -> None:
    (report,) = code_host().reports("print('one')\nprint('two', 2)\n1 / 0")
    assert report == "printed:\n| one\n| two 2\nerror: line 3: ZeroDivisionError: division by zero in `1 / 0`"


def test_long_output_is_truncated_with_a_note() -> None:
    limits = CodeActLimits(result_chars=10, printed_chars=5, source_chars=100)
    reports = code_host().reports("result = 'a' * 50", "for _ in range(9): print('abc')", "#" * 101, limits=limits)
    assert reports == [
        'result: "aaaaaaaaa\n[cut: these are the first 10 of 52 characters]',
        "printed:\n| abc\n[cut: these are the first 3 of 36 characters]",
        "nothing was run: the code has 101 characters, and at most 100 are allowed",
    ]


def fails(kind: FailureKind) -> Any:
    def handler(_args: Any) -> Any:
        raise CallFailed(kind, "x", "so it is", "try it later")

    return handler


EXCEPTIONS = {
    FailureKind.PERMISSION_DENIED: "PermissionError",
    FailureKind.TIMEOUT: "TimeoutError",
    FailureKind.INVALID_CALL: "ValueError",
    FailureKind.TOOL_NOT_AVAILABLE: "LookupError",
}


@pytest.mark.parametrize(("kind", "exception"), [(kind, EXCEPTIONS.get(kind, "RuntimeError")) for kind in FailureKind])
def test_tus_18_a_failure_is_a_builtin_exception_that_begins_with_its_kind(kind: FailureKind, exception: str) -> None:
    world = code_host(echo=fails(kind))
    reports = world.reports(
        f"try:\n    lab__echo(x=1)\nexcept {exception} as error:\n    result = str(error)", "lab__echo(x=1)"
    )
    assert reports[0] == f'result: "{kind}: so it is (try it later)"'
    assert reports[1].startswith(f"error: line 1: {exception}: {kind}: so it is")


def test_tus_18_a_denied_call_raises_permission_denied_and_each_call_is_recorded() -> None:
    asked: list[str] = []
    ran: list[Any] = []
    store = MemoryStore()

    def deny(request: PermissionRequest) -> Decision:
        asked.append(request.tool_name)
        return Decision.DENY

    catalog = code_host(echo=ran.append).catalog
    world = CodeHost(catalog, permission=deny, store=store)
    world.run = world.runtime.start_run()
    call = "try:\n    lab__echo(x=1)\nexcept PermissionError as e:\n    result = str(e)"
    for report in world.reports(call, call):
        assert report.startswith('result: "permission_denied: ')
    assert [result.error.kind for result in world.results if result.error] == [FailureKind.PERMISSION_DENIED] * 2
    assert (asked, ran) == (["lab.echo"] * 2, [])
    assert world.run.meta.run_id is not None
    events = asyncio.run(store.read(world.run.meta.run_id)).events
    assert [(event.kind, event.tool) for event in events] == [("tool_denied", "lab.echo")] * 2


def test_invalid_args_are_a_value_error_in_the_snippet() -> None:
    catalog = Catalog()
    tool(catalog, "lab.few", lambda args: args["n"], n={"type": "integer", "maximum": 3})
    (report,) = CodeHost(catalog).reports("lab__few(n=4)")
    assert report.startswith("error: line 1: ValueError: invalid_call: ")


def test_parameters_of_any_name_can_be_passed() -> None:
    catalog = Catalog()
    names = ["name", "self", "class", "Content-Type", "parameters", "args", "kwargs", "1st", "class_", "é"]
    properties = {name: {"type": "integer"} for name in names}
    schema = {"type": "object", "properties": properties, "required": names, "additionalProperties": False}
    catalog.register(ToolDefinition(name="lab.odd", description="Takes all.", input_schema=schema), lambda args: args)
    world = CodeHost(catalog)
    text = world.codeact().build_presentation().prompt
    assert "name: int, self: int, class__2: int, Content_Type: int" in text
    (report,) = world.reports(
        "result = lab__odd(\n"
        "    name=0, self=1, class__2=2, Content_Type=3, parameters=4, args=5, kwargs=6, p_1st=7, class_=8, _=9)"
    )
    by_name = json.loads(report.removeprefix("result: "))
    (report,) = world.reports("result = lab__odd(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)")
    assert by_name == json.loads(report.removeprefix("result: ")) == dict(zip(names, range(10), strict=True))


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
@settings(max_examples=15, deadline=None)
def test_values_pass_between_host_and_snippet_exactly(value: Any) -> None:
    world = code_host()
    (report,) = world.reports(f"result = lab__echo(x={value!r})", limits=CodeActLimits(result_chars=10**6))
    assert json.loads(str(world.requests[0].payload)) == {"x": value}
    assert report.startswith("result: ")
    assert json.loads(report.removeprefix("result: ")) == value


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("float('nan')", "x is nan, which is not a JSON value"),
        ("float('inf')", "x is inf, which is not a JSON value"),
        ("[{1, 2}]", "x[0] is of type set, which JSON does not have"),
        ("{'a': b'x'}", "x['a'] is of type bytes, which JSON does not have"),
        ("{1: 2}", "x has the key 1; the keys of JSON are strings"),
        ("range(3)", "x is of type range, which JSON does not have"),
        ("print", "x is of type builtin_function_or_method, which JSON does not have"),
        ("lab__echo", "x is of type function, which JSON does not have"),
    ],
)
def test_non_json_values_are_a_value_error_with_details(value: str, what: str) -> None:
    world = code_host()
    reports = world.reports(f"lab__echo(x={value})", f"result = {value}")
    assert reports[0].startswith(f"error: line 1: ValueError: {what} in ")
    assert reports[1] == f"error: result{what[1:]}"
    assert not world.requests


def test_tus_20_without_a_sandbox_nothing_runs_and_the_reason_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    world = code_host()
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    assert world.reports("lab__echo(x=1)") == [
        "sandbox_unavailable: no code can be run, because its worker process cannot be started"
    ]
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    (report,) = world.reports("lab__echo(x=1)")
    assert report == (
        "sandbox_unavailable: no code can be run, "
        'because code of models needs pydantic-monty: pip install "toolgen[codeact]"'
    )
    assert not world.requests


@given(
    name=st.sampled_from(["lab.one", "lab.two", "lab.three"]),
    value=st.integers(-3, 3) | st.text(max_size=2),
    rules=st.dictionaries(
        st.sampled_from(["lab.one", "lab.two", "lab.*"]),
        st.sampled_from(["deny", "ask", "allow", "exclude"]),
        max_size=3,
    ),
    allows=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_tus_19_code_has_the_same_permissions_as_a_call(name: str, value: Any, rules: Any, allows: bool) -> None:
    ran: list[Any] = []
    catalog = Catalog()
    for each in ("lab.one", "lab.two", "lab.three"):
        tool(catalog, each, ran.append, x={"type": "integer", "minimum": 0})
    _, run = run_of(catalog, rules)
    call = f"{name.replace('.', '__')}(x={value!r})"
    world = CodeHost(catalog, run=run, permission=allow_all if allows else deny_all)
    world.outcomes(
        f"eval({call!r})",
        codeact=CodeAct(candidates_of(catalog, [ident for ident in catalog if ident in run])),
    )
    by_code = len(ran)
    ran.clear()
    asyncio.run(world.runtime.invoke(ToolRequest(name=name, payload=json.dumps({"x": value})), run=run))
    assert by_code == len(ran)  # exactly these


@pytest.mark.parametrize(("may_continue", "ran"), [(False, []), (True, ["looked"])])
def test_reg_97_after_a_denial_the_rest_of_the_code_makes_no_calls(may_continue: bool, ran: list[str]) -> None:
    """The calls of one response are one answer of the model, in whatever form: a person has said no to it."""
    done: list[str] = []
    catalog = Catalog()
    tool(catalog, "lab.write", lambda args: done.append(args["x"]), x={"type": "string"})
    catalog.register(
        ToolDefinition(name="lab.look", description="Looks.", input_schema={"type": "object"}, permission="readonly"),
        lambda _: done.append("looked"),
    )
    answers = iter([Decision.DENY, Decision.ALLOW_ONCE, Decision.ALLOW_ONCE])
    world = CodeHost(catalog, run=run_of(catalog)[1], permission=lambda _request: next(answers))
    vars(world.runtime)["_host"].policies.may_continue = may_continue
    code = """\
for text in ("a", "b"):
    try:
        lab__write(x=text)
    except Exception as error:
        print(str(error).partition(":")[0])
try:
    lab__look()
except Exception as error:
    print(str(error).partition(":")[0])
"""
    first, second = world.outcomes(code, "lab__write(x='c')")
    assert "permission_denied\n| skipped" in first.report
    assert done == [*ran, "c"], "the next response is another answer"
    assert second.report.startswith("it ran")


def test_tus_05_25_a_call_hidden_from_the_checker_is_refused_and_recorded() -> None:
    world = code_host(echo=lambda args: args["x"], hidden=lambda args: args["x"])
    _, run = run_of(world.catalog, {"lab.hidden": "exclude"})
    world = CodeHost(world.catalog, run=run)
    codeact = CodeAct(candidates_of(world.catalog, ["lab.echo"]))
    for code, name in [
        ("result = lab__hidden(x=1)", "lab__hidden"),
        ("result = lab.hidden(x=1)", "lab.hidden"),
        ("result = lab . hidden (\n x=1)", "lab.hidden"),
        ("result = eval('lab__hidden(x=1)')", "lab__hidden"),
        ("result = eval('lab__' + 'hidden(x=1)')", "lab__hidden"),
        ("exec('def f(): return lab__hidden(1)')\nresult = eval('f()')", "lab__hidden"),
    ]:
        (outcome,) = world.outcomes(code, codeact=codeact)
        assert outcome.report.startswith(("nothing was run", "error: "))
        assert world.requests[-1].name == f"{name} (not offered)"
        (result,) = outcome.results
        assert result.error is not None
        assert result.error.kind is FailureKind.TOOL_NOT_AVAILABLE
    assert "lab__hidden" not in codeact.build_presentation().prompt


def test_code_that_calls_no_tool_makes_no_request() -> None:
    world = code_host()
    world.reports("result = frame.columns", "x = lab__ech", "import nothing_at_all", "def f(): pass\nf(1, 2)")
    assert world.requests == []


def test_an_offered_function_cannot_be_called_by_a_computed_name() -> None:
    world = code_host()
    (report,) = world.reports("eval('lab__' + 'echo(x=1)')")
    assert "NameError: name 'lab__echo' is not defined: call it in plain code, by its name" in report
    assert world.requests == []


@pytest.mark.parametrize(
    "code",
    [
        "list(map(lambda c: lab__echo(x=c), [1]))",
        "list(map(lab__echo, [1]))",
        "list(filter(lab__echo, [1]))",
        "sorted([2, 1], key=lambda c: lab__echo(x=c))",
        "[2, 1].sort(key=lab__echo)",
        "max([2, 1], key=lab__echo)",
        "NotImplementedError = ValueError\nlist(map(lab__echo, [1]))",
        "class A:\n    def __str__(self): return lab__echo(x='a')\nstr(A())",
    ],
)
@pytest.mark.parametrize("handling", ["{}", "try:\n{}\nexcept Exception as error: print(error)"])
def test_a_call_that_other_code_makes_is_refused_with_the_name_of_the_tool(code: str, handling: str) -> None:
    world = code_host()
    (report,) = world.reports(handling.format(textwrap.indent(code, " " * 4 * (handling != "{}"))))
    assert "lab__echo cannot be called by a function that other code calls: call it in plain code, in a loop" in report
    assert "toolgen_" not in report
    assert world.requests == []


def test_names_of_builtins_can_be_used_as_variables() -> None:
    names = ["type", "len", "zip", "dict", "list", "str", "int", "float", "bool", "tuple", "enumerate", "ValueError"]
    reports = code_host().reports(
        "\n".join(f"{name} = 'mine'" for name in names), "result = lab__echo([{'a': 1.5}, True])"
    )
    assert reports[1] == 'result: [{"a": 1.5}, true]'


def test_printed_output_cannot_imitate_the_report() -> None:
    reports = code_host().reports("print('a\\nresult: 42\\x1b[1m\\u202e\\tb')\nprint()", "result = '\\u202e\\x7f'")
    assert reports == ["printed:\n| a\n| result: 42\\x1b[1m\\u202e\tb\n| ", 'result: "\\u202e\\u007f"']


def test_a_result_is_reported_only_for_a_snippet_that_assigns_it() -> None:
    reports = code_host().reports("result = 1", "# result of it\nb = 'result'\nprint(b)", "result = 1")
    assert reports == ["result: 1", "printed:\n| result", "result: 1"]


def test_the_indentation_of_a_fence_in_a_list_item_is_removed_from_its_lines() -> None:
    action = CODEACT.interpret(reply("- so:\n  ```python\n  if 1:\n    result = 1\n x = 1\n  ```"))
    assert action == Turn(code="if 1:\n  result = 1\nx = 1", text="- so:")


def test_a_fence_may_be_indented_as_far_as_its_list() -> None:
    for indent in ("    ", "      ", "         "):
        answer = f"1. So:\n\n{indent}```python\n{indent}if 1:\n{indent}  result = 1\n{indent}```\nDone."
        assert CODEACT.interpret(reply(answer)) == Turn(code="if 1:\n  result = 1", text="1. So:\n\nDone.")
    inner = "```python\nresult = '''\n    ```\n'''\n```"
    assert CODEACT.interpret(reply(inner)) == Turn(code="result = '''\n    ```\n'''", text="")


def test_computed_text_is_accepted_for_an_enum() -> None:
    catalog = Catalog()
    by = {"enum": ["up", "down"]}
    many = {"type": "array", "items": {"enum": ["up", "down", 1]}}
    tool(catalog, "lab.sort", lambda args: args["by"], by=by, many=many)
    world = CodeHost(catalog)
    reports = world.reports(
        "result = lab__sort('UP'.lower(), [t.lower() for t in ['UP']])",
        "result = lab__sort('UP', ['up'])",
        "def f(n: str) -> str: return n\nresult = lab__sort(f('down'), [f('down')])",
        "result = lab__sort(f('sideways'), ['up'])",
        "result = lab__sort(1, ['up'])",
    )
    assert reports[0] == 'result: "up"'
    assert 'Expected `Literal["up", "down"]`, found `Literal["UP"]`' in reports[1]
    assert reports[2] == 'result: "down"'
    assert "ValueError: invalid_call: " in reports[3]
    assert 'Expected `Literal["up", "down"]`, found `Literal[1]`' in reports[4]
    assert len(world.requests) == 3


def test_an_open_object_accepts_other_arguments_unless_they_resemble_its_own() -> None:
    catalog = Catalog()
    for name, is_open in (("open", True), ("closed", False)):
        schema = {"type": "object", "properties": {"limit": {}}, "additionalProperties": is_open}
        definition = ToolDefinition(name=f"lab.{name}", description="Takes.", input_schema=schema)
        catalog.register(definition, lambda args: args, profile="full")
    reports = CodeHost(catalog).reports(
        "result = lab__open(limit=1, colour='red')",
        "result = lab__open(limi=1)",
        "result = lab__closed(limit=1, colour='red')",
    )
    assert reports[0] == 'result: {"limit": 1, "colour": "red"}'
    assert "Argument `limi` does not match any known parameter of function `lab__open`" in reports[1]
    assert "Argument `colour` does not match any known parameter of function `lab__closed`" in reports[2]


def test_findings_other_than_type_errors_do_not_stop_code() -> None:
    assert code_host().reports("n = 'x'\nif n:\n    result = 1") == ["result: 1"]


def test_an_empty_block_is_code_and_not_final() -> None:
    turn = CODEACT.interpret(reply("```python\n```"))
    assert (turn.code, turn.is_final) == ("", False)


def conversation(host: CodeHost) -> Conversation:
    known = provider("openai")
    return Conversation(host.codeact(), known, host, lambda listing: known.tools(listing.tools))


def test_the_host_is_told_of_each_call_of_code_before_it_is_made() -> None:
    made: list[Any] = []
    host, told = code_host(echo=lambda args: made.append(args["x"])), list[Any]()

    def tell(event: Any) -> None:
        if isinstance(event, CallRequested):
            told.append((event.call.request, list(made)))

    snippet = "```python\nfor number in range(2):\n    lab__echo(x=number)\n```"
    model = ScriptedModel(snippet, "done")
    asyncio.run(conversation(host).run(model, [{"role": "user", "content": "count"}], on_event=tell))
    assert told == [(host.requests[0], []), (host.requests[1], [0])]
    assert [json.loads(each.payload) for each, _ in told] == [{"x": 0}, {"x": 1}]


def test_what_the_host_raises_when_it_is_told_ends_the_conversation_before_the_call() -> None:
    host = code_host()

    def tell(event: Any) -> None:
        if isinstance(event, CallRequested):
            raise TimeoutError("of the host")

    model = ScriptedModel("```python\nlab__echo(x=1)\n```", "done")
    with pytest.raises(TimeoutError, match="of the host"):
        asyncio.run(conversation(host).run(model, [{"role": "user", "content": "count"}], on_event=tell))
    assert host.requests == []


def test_a_tool_that_would_end_its_caller_fails_in_a_snippet() -> None:
    async def end(args: dict[str, Any]) -> Any:
        return await IN_OWN_TASKS[args["x"]]()

    async def run() -> None:
        host = code_host(end=end, echo=lambda args: args["x"])
        host.run = host.runtime.start_run()
        conversation = host.codeact()
        for how in IN_OWN_TASKS:
            code = f"try:\n    lab__end(x={how!r})\nexcept Exception:\n    print('failed')\nlab__echo(x=1)"
            outcome = await conversation.execute(Turn(code=code), host)
            failed, echoed = outcome.results
            assert (failed.is_error, echoed.value) == (True, 1), (how, outcome.report)

    asyncio.run(run())
