"""Every value is one argument, regardless of its content and position."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.compiler.specs import resolved
from tests.unit.execute.conftest import project_in
from toolgen.contract.records import FailureKind
from toolgen.execute.command import ExecLine, ShellLine, Template, texts_of
from toolgen.execute.processes import MAX_ARGUMENT_BYTES
from toolgen.runtime.base.errors import CatalogError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execute.conftest import Project

HOSTILE = [
    'a; rm -rf / "x y"',
    "",
    " ",
    "\t leading and trailing \n",
    "\n",
    "line\nbreak\r\nand more\n\n",
    "'",
    "''",
    "'; touch pwned; '",
    "' \" ' \"",
    '"',
    '"$(touch pwned)"',
    "\\",
    "\\'",
    "trailing\\",
    "\\n\\0\\x41",
    "$(touch pwned)",
    "`touch pwned`",
    "` ; touch pwned ; `",
    "$HOME ${PATH} $1 $@ $# $$ $?",
    "${_toolgen_0}",
    "$'\\'; touch pwned #'",
    "; touch pwned",
    "&& touch pwned",
    "| tee pwned",
    "> pwned",
    "<(touch pwned)",
    "& touch pwned &",
    "# comment",
    "-rf",
    "--output=pwned",
    "--",
    "*",
    "[a-z]* ?? **/*.py",
    "{a,b} {1..9}",
    "~ ~root",
    "!! !history",
    "{{args.value}} {{args.other}} {{env.HOME}} {% x %}",
    "%s %n %d %%",
    "a=b IFS=x",
    "grün 日本語 \U0001f600 e\u0301 \u202e\u200b\ufeff",
    "\x01\x07\x1b[31mred\x7f\x85",
    "EOF\n$(touch pwned)\nEOF",
    "../../etc/passwd",
    "-",
    "-- -x",
    "@args.txt",
    "+x /r %PATH% ^&",
    "\r",
    "\\\n",
    "“smart” ‘quotes’ «»",  # noqa: RUF001  # under test
    "\u2028\u2029\x85\u00a0",
    "\uffff\U0010ffff\ue000",
    "ß ı İ ſ \u1e9e",  # noqa: RUF001  # under test
    "x" * 100_000,
    "'" * 30_000,
    "é" * 65_535 + "x",  # the maximum number of bytes
]

KINDS = {
    "quotes": "'\"`",
    "line breaks": "\n\r",
    "leading dashes": "-",
    "globs": "*?[",
    "braces": "{}",
    "what a shell reads": "$;&|<>#~!\\",
    "Unicode": "日é\u202e\U0001f600",
}
"""Characters for which each kind has values, at their start or anywhere."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, commands_package: str) -> Project:
    """Return a project in which each call may return all of its output. The calls of all tests share a runtime."""
    made = project_in(tmp_path_factory.mktemp("line"), commands_package)
    return replace(made, shared=made.runtime(result_bytes=10**6))


def test_there_are_at_least_40_values_and_some_of_every_kind() -> None:
    assert len(HOSTILE) == len(set(HOSTILE)) >= 40
    for kind, characters in KINDS.items():
        for character in characters:
            assert any(
                value.startswith("-") if kind == "leading dashes" else character in value for value in HOSTILE
            ), f"no value of kind {kind} has {character!r}"
    assert max(len(value.encode()) for value in HOSTILE) == MAX_ARGUMENT_BYTES
    assert max(map(len, HOSTILE)) >= 100_000


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.variants(20)
def test_reg_59_each_value_is_one_argument(shared: Project, value: str) -> None:
    before = sorted(path.name for path in shared.folder.rglob("*"))
    assert shared.value("show", {"value": value}) == f"1\n{value}"
    assert sorted(path.name for path in shared.folder.rglob("*")) == before


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_reg_60_in_a_shell_line_each_value_is_one_word(shared: Project, value: str) -> None:
    before = sorted(path.name for path in shared.folder.rglob("*"))
    assert shared.value("show_in_shell", {"value": value}) == f"1\n{value}"
    assert sorted(path.name for path in shared.folder.rglob("*")) == before


@pytest.mark.parametrize("tool", ["show_around", "show_around_in_shell"])
@pytest.mark.parametrize("value", [each for each in HOSTILE if len(each) < 1000])
@pytest.mark.variants(36)
def test_reg_59_and_60_text_around_a_value_stays_in_its_argument(shared: Project, tool: str, value: str) -> None:
    assert shared.value(tool, {"value": value}) == f"1\n--value={value}, twice {value}"


@pytest.mark.parametrize("value", ["`touch pwned`", "` ; touch pwned ; `", "x\ntouch pwned", "'\ntouch pwned\n'"])
def test_reg_60_a_value_is_inert_even_where_quoting_has_no_effect(shared: Project, value: str) -> None:
    output = shared.value("backticks", {"value": value})
    assert output.replace("][", " ") == f"[<{' '.join(value.split())}>]"
    assert not (shared.folder / "pwned").exists()


@given(value=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40))
def test_reg_59_any_text_is_one_argument(shared: Project, value: str) -> None:
    assert shared.value("show", {"value": value}) == f"1\n{value}"
    assert shared.value("show_in_shell", {"value": value}) == f"1\n{value}"


@pytest.mark.parametrize("tool", ["show", "show_in_shell"])
@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("a\0b", "argument_holds_nul", "contains a NUL character, which arguments of programs cannot contain"),
        (
            "é" * 65_536,
            "argument_too_long",
            "has 131072 bytes; an argument of a program can have at most 131071",
        ),
    ],
)
def test_reg_59_nul_and_oversize_are_refused_before_anything_starts(
    project: Project, tool: str, value: str, code: str, message: str
) -> None:
    (project.folder / "show").write_text("#!/bin/sh\ntouch started\n")
    error = project.error(tool, {"value": value})
    assert (error.kind, error.code) == (FailureKind.INVALID_CALL, code)
    assert error.message.endswith(message)
    assert error.hint == "pass large or binary data on stdin"
    assert not (project.folder / "started").exists()


def test_groups_are_omitted_with_their_args(project: Project) -> None:
    assert project.value("options", {"pattern": "p"}) == "[--ratio=][--size=7][--][p]"
    args = {"pattern": "p", "glob": "*.py", "max": 3, "deep": True, "ratio": 0.5, "size": 1}
    assert project.value("options", args) == "[--glob][*.py][--max=3][true][3][--ratio=0.5][--size=1][--][p]"
    assert project.value("options", {"pattern": "p", "deep": False}) == "[--ratio=][--size=7][--][p]"


def test_an_absent_arg_is_an_empty_word_in_a_shell_line(project: Project) -> None:
    assert project.value("options_in_shell", {"a": "x y"}) == "[x y][][7][0]"
    assert project.value("options_in_shell", {"a": "", "b": "b", "size": 2}) == "[][b][2][0]"


def test_an_integer_is_written_without_a_fraction() -> None:
    fields = {"n": {"type": "integer"}, "x": {"type": "number"}, "t": {"type": "string"}, "o": True}
    assert texts_of({"n": 3.0, "x": 3.0, "o": None}, fields) == {"n": "3", "x": "3.0"}
    assert texts_of({"n": -1, "x": 1e300, "t": "", "o": [1]}, fields) == {"n": "-1", "x": "1e+300", "t": ""}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{env.X}}", "`{{env.X}}` is not a template: only `{{args.name}}` is allowed here"),
        ("{{args.a.b}}", "`{{args.a.b}}` is more than the name of a field: no filters, no nesting"),
        ("{{args.a | upper}}", "`{{args.a | upper}}` is more than the name of a field: no filters, no nesting"),
        ("{{ args.a }}", "`{{ args.a }}` is not a template: only `{{args.name}}` is allowed here"),
        ("{{args.pth}}", "`{{args.pth}}` names a field that the args do not have; did you mean 'path'?"),
        ("{{args.}}", "`{{args.}}` names a field that the args do not have; there are a, path"),
        ("{{args.a", "`{{` and `}}` do not match up; write `{{args.name}}`"),
        ("a}}", "`{{` and `}}` do not match up; write `{{args.name}}`"),
        ("{{{{args.a}}}}", "`{{{args.a}}` is not a template: only `{{args.name}}` is allowed here"),
    ],
)
def test_reg_57_and_58_a_template_names_a_field_and_nothing_else(template: str, message: str) -> None:
    fields: dict[str, object] = {"a": {}, "path": {}}
    for parse in (Template.parse, ShellLine.parse, lambda text, known: ExecLine.parse([["x", text]], known)):
        with pytest.raises(CatalogError) as raised:
            parse(template, fields)
        assert str(raised.value) == message


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("echo '{{args.a}}'", "inside quotes"),
        ('echo "{{args.a}}"', "inside quotes"),
        ('echo "it is \\" {{args.a}}"', "inside quotes"),
        ("echo '\\' '{{args.a}}'", "inside quotes"),
        ("echo {{args.a}}#'{{args.a}}'", "inside quotes"),
        ("# it's a comment\necho '{{args.a}}'", "inside quotes"),
        ("echo \\{{args.a}}", "after a backslash"),
        ("echo ${{args.a}}", "after a `$`"),
    ],
)
def test_reg_60_a_template_inside_quotes_is_refused(line: str, place: str) -> None:
    with pytest.raises(CatalogError) as raised:
        ShellLine.parse(line, {"a": {}})
    assert str(raised.value) == f"`{{{{args.a}}}}` is {place}; remove that: every value is quoted"


ARITHMETIC = [
    *("echo $(( {{args.a}} + 1 ))", "echo $((2*{{args.a}}))", ": $(( x = {{args.a}} ))", "head -c $(({{args.a}}*2)) f"),
    *(
        "echo $((1+(2)+{{args.a}}))",
        "(( {{args.a}} > 1 ))",
        "for ((i={{args.a}};i<2;i++)); do :; done",
        "x=1;((x={{args.a}}))",
    ),
    *(
        "echo $(( $(echo {{args.a}}) ))",
        "echo $((`echo {{args.a}}`))",
        "echo $[{{args.a}}]",
        "echo $(($((1))+{{args.a}}))",
    ),
]
EXPANSIONS = ["echo ${x:{{args.a}}}", "echo ${x:1:{{args.a}}}", "echo ${x[{{args.a}}]}", "echo ${x:-{{args.a}}}"]
CONDITIONS = ["if [[ {{args.a}} -gt 1 ]]; then :; fi", "[[ x -eq 1 && {{args.a}} -eq 1 ]]", "[[\n1 -eq {{args.a}} ]]"]
NAMES = [
    *(
        "test -v {{args.a}}",
        "[ -v {{args.a}} ]",
        "[ ! -v {{args.a}} ]",
        "[ x = y -o -v {{args.a}} ]",
        "[ {{args.b}} {{args.a}} ]",
    ),
    *("printf -v {{args.a}} x", "printf -v{{args.a}} x", "printf {{args.b}} {{args.a}} x", "wait -p {{args.a}}"),
    *(
        "export {{args.a}}",
        "readonly {{args.a}}",
        "declare {{args.a}}",
        "typeset -i x={{args.a}}",
        "local -n x={{args.a}}",
    ),
    *("export a[{{args.a}}]=1", "declare -i {{args.a}}=1"),
]
RUN = [
    *(
        "read {{args.a}} </dev/null",
        "read -r x {{args.a}} < f",
        "unset {{args.a}}",
        "let {{args.a}}",
        "eval {{args.a}}",
    ),
    *("X=1 eval {{args.a}}", "command eval {{args.a}}", "builtin eval {{args.a}}", "if eval {{args.a}}; then :; fi"),
    *(
        "trap {{args.a}} EXIT",
        "alias x={{args.a}}",
        "mapfile {{args.a}} < f",
        "getopts a {{args.a}}",
        "e'v'al {{args.a}}",
    ),
    *(
        "true && \\eval {{args.a}}",
        "{ eval {{args.a}}; }",
        "(eval {{args.a}})",
        "x=$(eval {{args.a}})",
        "`eval {{args.a}}`",
    ),
    *(
        "case x in x) eval {{args.a}};; esac",
        "true |\neval {{args.a}}",
        "ev\\\nal {{args.a}}",
        "time -p eval {{args.a}}",
    ),
]
BEHIND = [
    *(
        "x=$(true |\neval {{args.a}})",
        "x=$(true; eval {{args.a}})",
        "f() { eval {{args.a}}; }; f",
        "read &>f {{args.a}}",
    ),
    *("function f { eval {{args.a}}; }; f", "case x in (x) eval {{args.a}};; esac", "true &>f eval {{args.a}}"),
    *(
        "echo $(case x in x) eval {{args.a}};; esac)",
        "echo $(case x in x)eval {{args.a}};; esac)",
        "coproc eval {{args.a}}",
    ),
    *("x=$(true) eval {{args.a}}", "x=(a b) eval {{args.a}}"),
]
"""Commands that run their args, behind what makes it hard to tell where a command starts."""
SUBSCRIPTS = ["x[{{args.a}}]=1", "x=([{{args.a}}]=1)", "true; x[{{args.a}}]+=1"]
SET_BEFORE = [
    *(
        "a={{args.a}}; echo $((a))",
        'a={{args.a}}; echo "$(( a + 1 ))"',
        "a={{args.a}}; echo ${b:a}",
        "a={{args.a}} ; ((a++))",
    ),
    *("a={{args.a}}; [[ $a -gt 1 ]]", "export a={{args.a}}; echo $((${a} * 2))", "a=x{{args.a}}; echo $((1 + a"),
]
EVALUATED = {
    "in arithmetic": ARITHMETIC,
    "in `${…}`": EXPANSIONS,
    "in `[[…]]`": CONDITIONS,
    "the name of a variable of": NAMES,
    "an arg of": [*RUN, *BEHIND],
    "in a subscript": SUBSCRIPTS,
    "the value of `a`, which is in": SET_BEFORE,
}
ANY: dict[str, object] = {"a": {}, "b": {}}


@pytest.mark.parametrize(("place", "line"), [(place, line) for place, lines in EVALUATED.items() for line in lines])
def test_reg_60_a_template_is_refused_where_a_shell_may_run_its_value(place: str, line: str) -> None:
    with pytest.raises(CatalogError) as raised:
        ShellLine.parse(line, ANY)
    assert f"is {place}" in str(raised.value)
    assert "a shell may run a value there; " in str(raised.value)

    command = f"args: {{a: string, b: string}}, command: {{shell: {json.dumps(f'sh x; {line}')}}}"
    found = resolved(
        f"toolgen: 1\ntoolset: local\nkind: command\ntools: {{t: {{description: x, permission: write, {command}}}}}"
    )
    assert any("TG410" in each and f"is {place}" in each for each in found.messages), found.messages


ALLOWED = [
    *("git log -n {{args.a}} | head -n {{args.b}}", "printf '%s\\n' {{args.a}} {{args.b}}", "printf {{args.a}}"),
    *("[ {{args.a}} = {{args.b}} ]", "test -n {{args.a}} -a {{args.b}} -gt 1", "[ -f {{args.a}} ] && cat {{args.a}}"),
    *(
        "export X={{args.a}}; cmd",
        "local x={{args.a}}",
        "X={{args.a}} cmd",
        'x={{args.a}}; echo "$x" ${x:-none} ${x#a}',
    ),
    *(
        "read -r x < {{args.a}}",
        "while read -r x; do :; done < {{args.a}}",
        "mapfile x <{{args.a}}",
        "grep eval {{args.a}}",
    ),
    *("i=0; i=$((i+1)); echo {{args.a}}", "head -c $((2*3)) {{args.a}}", "echo $(cat {{args.a}}) `cat {{args.b}}`"),
    *(
        "for x in {{args.a}}; do echo $x; done",
        "case {{args.a}} in a) echo {{args.b}};; esac",
        "echo {{args.a}} # $(( {{args.b}}",
    ),
    *(
        "expr {{args.a}} + 1",
        "echo [{{args.a}}] x[{{args.a}}]",
        "[[ -n x ]] && echo {{args.a}}",
        "((1)); echo {{args.a}}",
    ),
    *(
        'echo "$((1+1)) ${x:-it\'s}" {{args.a}}',
        "f() { echo {{args.a}}; }; f",
        "cmd 2>&1 {{args.a}} &> f",
        "( echo {{args.a}} )",
    ),
]


@pytest.mark.parametrize("line", ALLOWED)
def test_reg_60_a_template_may_stand_where_it_is_a_word(line: str) -> None:
    assert ShellLine.parse(line, ANY).names


FILLERS = [
    *("echo 'it'\"'\"'s'", 'echo "a $(echo "b c") d"', "x=${y:-'a b'}", "echo $'it'", "echo $'a\\'b'", "echo \\'"),
    *("cat <<E\nit's\nE", 'cat <<E\nsay "x\nE', "cat <<'E'\n$(( ` ${ ((\nE", "echo ${x#\\}}", 'echo "${x:-"q"}"'),
    *(
        "echo a#b",
        "# it's\n:",
        "f() { :; }",
        "echo $((1<<2))",
        "echo ${#x} $# $$ $!",
        "echo `echo \\`echo x\\``",
        "echo \\",
    ),
    *("case x in (a) :;; b) :;; esac", 'echo "it\'s"', 'echo "\\""', ': ${x:="a)b"}', "echo )", "echo $(echo ')')"),
    *(
        'echo "${x:-it\'s}"',
        "echo \"`echo 'a'`\"",
        "(:)",
        "{ :; }",
        "x=(a 'b')",
        "[[ a < b ]]",
        "((1))",
        "if :; then :; fi",
    ),
]
"""Text in which quotes, parentheses and words are hard to tell apart."""


@st.composite
def lines(draw: st.DrawFn) -> str:
    """Draw a line of constructs that are around, before and behind each other."""
    some = st.sampled_from([*ALLOWED, *(each for group in EVALUATED.values() for each in group)])
    around = st.sampled_from(
        ["{}", "({})", "{{ {}; }}", "x=$({}); echo $x", 'echo "$({})"', "if {}; then :; fi", "true && {}"]
    )
    between = draw(st.sampled_from(["; ", "\n", " | ", " && ", " "]))
    before = between.join(draw(st.lists(st.sampled_from(FILLERS), max_size=3)))
    behind = between.join(draw(around).format(draw(some)) for _ in range(draw(st.integers(1, 2))))
    return f"{before}{between if before else ''}{behind}"


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The shell of this machine, and bash as `sh` if it is there."""
    folder, found = tmp_path_factory.mktemp("shells"), ["/bin/sh"]
    if bash := shutil.which("bash"):
        (folder / "sh").symlink_to(bash)
        found.append(str(folder / "sh"))
    return found


INJECTED = ["x[$(echo OWNED >&2)]", "x[`echo OWNED >&2`]", "echo OWNED >&2", "a[$(echo OWNED >&2)]=1", "-v"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=lines(), first=st.sampled_from(INJECTED), second=st.sampled_from(INJECTED))
def test_reg_60_no_shell_runs_a_value_of_a_line_that_is_not_refused(
    shells: list[str], tmp_path: Path, line: str, first: str, second: str
) -> None:
    try:
        argv = ShellLine.parse(line, ANY).argv({"a": first, "b": second})
    except CatalogError:
        return
    for shell in shells:
        run = subprocess.run(
            [shell, *argv[1:]],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
        assert "OWNED" not in run.stderr.splitlines(), (shell, line)


def test_a_long_line_is_read_in_linear_time() -> None:
    for unit in ("(", "$((", "${", "`", '"$(', "[[ ", "x=1 ", "a={{args.a}} ", "'", "$(`", "))"):
        line = f"true; a={{{{args.b}}}}; {unit * 5_000}"
        start = time.process_time()
        with suppress(CatalogError):
            ShellLine.parse(line, ANY)
        assert time.process_time() - start < 3, unit


@pytest.mark.parametrize(
    "line", ["echo 'it'{{args.a}}\"is\"", "# it's\necho {{args.a}}", "echo \\'{{args.a}}", "echo a#'b' {{args.a}}"]
)
def test_reg_60_closed_quotes_beside_a_template_are_allowed(line: str) -> None:
    assert ShellLine.parse(line, {"a": {}}).names == ("a",)
