"""`toolgen import python`: a project's own modules become specs that build and run with no further edits."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.later import later
from tests.project.checkout import ROOT
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = """
    '''Tools of a shop.'''
    import enum
    import os
    from dataclasses import dataclass

    os.write(1, b"imported\\n")

    class Size(enum.Enum):
        SMALL = "s"

    @dataclass
    class Item:
        name: str
        size: Size = Size.SMALL

    def find(query: str, limit: int = 2) -> list[Item]:
        '''Find items.

        Args:
            query: What to look for.
        '''
        print("called")
        return [Item(query)] * limit

    async def buy(item: Item) -> str:
        '''Buy an item.'''
        return f"{item.name} {item.size.name}"

    def spread(*args: int) -> int:
        '''Add.'''
        return 0

    class Shop:
        '''A shop.'''
        def sell(self, item: Item) -> int:
            '''Sell an item.'''
            return len(item.name)
"""
API = """
    from fastapi import FastAPI, HTTPException
    from pydantic import BaseModel

    api = FastAPI(title="Shop")

    class Item(BaseModel):
        name: str

    @api.get("/items/{number}")
    def get_item(number: int, loud: bool = False) -> Item:
        '''Get an item.'''
        if number > 1:
            raise HTTPException(404, "no such item")
        return Item(name="LAMP" if loud else "lamp")

    @api.put("/items/{number}", operation_id="storeItem")
    async def put_item(number: int, item: Item) -> dict[str, str]:
        '''Store an item.'''
        return {"stored": f"{number} {item.name}"}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    for name, text in {"__init__": "", "tools": TOOLS, "api": API}.items():
        (tmp_path / "app" / f"{name}.py").write_text(dedent(text), encoding="utf-8")
    return tmp_path


def test_a_function_is_imported_built_and_called_with_no_further_edits(project: Path) -> None:
    done = toolgen(project, "import", "python", "app.tools:find", "app.tools:buy")
    assert (done.code, done.out) == (0, "specs/app.tools.yaml: 2 tools, 2 new\n"), done.err
    assert done.err == "imported\n"
    built = toolgen(project, "build")
    assert (built.code, "imported" in built.out + built.err) == (0, False)
    found = toolgen(project, "call", "app.tools.find", '{"query": "lamp"}', "--yes")
    assert (found.code, found.err) == (0, "imported\ncalled\n")
    assert found.json == [{"name": "lamp", "size": "s"}] * 2
    bought = toolgen(project, "call", "app.tools.buy", '{"item": {"name": "lamp"}}', "--yes")
    assert bought.json == "lamp SMALL"


def test_a_module_and_a_class_make_a_toolset_and_the_rest_is_reported(project: Path) -> None:
    done = toolgen(project, "import", "python", "app.tools", "app.tools:Shop", "--format", "json")
    assert (done.code, done.json["added"]) == (1, ["buy", "find", "sell"])
    [problem] = done.json["diagnostics"]
    assert (problem["code"], problem["message"]) == (
        "TG841",
        "`app.tools:spread` is left out: spread takes `*args: int`, so its args are not known: name each parameter",
    )
    shown = toolgen(project, "import", "python", "app.tools", "app.tools:Shop")
    assert shown.out == "specs/app.tools.yaml: 3 tools, up to date\n"
    assert "def spread(*args: int) -> int:\n" in shown.err
    assert "1 omitted" in shown.err
    assert toolgen(project, "build").code == 0
    assert toolgen(project, "call", "app.tools.sell", '{"item": {"name": "lamp"}}', "--yes").json == 4


@pytest.mark.parametrize("char", ["\x0c", "\u2028", "\x85"])
def test_a_problem_is_shown_at_its_line_whatever_characters_are_above_it(project: Path, char: str) -> None:
    """Python ends lines at LF, CR LF and CR only; a form feed between parts of a module is usual."""
    source = f"# one{char}two{char}\n\n\ndef spread(*args: int) -> int:\n    return 0\n"
    (project / "app/paged.py").write_text(source, encoding="utf-8")
    shown = toolgen(project, "import", "python", "app.paged:spread")
    assert "4 | def spread(*args: int) -> int:\n" in shown.err


def test_an_app_is_called_in_the_same_process(project: Path) -> None:
    done = toolgen(project, "import", "python", "app.api:api")
    assert (done.code, done.out) == (0, "specs/app.api.yaml: 2 tools, 2 new\n"), done.err
    assert toolgen(project, "build").code == 0
    # No --yes: the call is readonly, and reaches no network.
    assert toolgen(project, "call", "app.api.get_item", '{"number": 1, "loud": true}').json == {"name": "LAMP"}
    missing = toolgen(project, "call", "app.api.get_item", '{"number": 2}')
    assert (missing.code, "404 Not Found: no such item" in missing.err) == (1, True)
    stored = toolgen(project, "call", "app.api.storeItem", '{"number": 1, "name": "x"}', "--yes")
    assert stored.json == {"stored": "1 x"}
    again = toolgen(project, "import", "python", "app.api:api")
    assert again.out == "specs/app.api.yaml: 2 tools, up to date\n"


def test_an_app_gives_the_same_tools_by_its_description(project: Path) -> None:
    toolgen(project, "import", "python", "app.api:api", "--toolset", "by.code")
    code = "import json; from app.api import api; print(json.dumps(api.openapi()))"
    made = subprocess.run([forked_python(), "-c", code], cwd=project, capture_output=True, text=True, check=True)
    (project / "api.json").write_text(made.stdout.splitlines()[-1])
    toolgen(project, "import", "openapi", "api.json", "--toolset", "by.url")
    found = [
        (project / "specs" / f"by.{name}.yaml").read_text().partition("\ntools:\n")[2].partition("\nimported:")[0]
        for name in ("code", "url")
    ]
    assert found[0] == found[1]
    assert "  get_item:\n" in found[0]


def test_a_running_app_gives_the_same_tools_by_its_url(project: Path) -> None:
    toolgen(project, "import", "python", "app.api:api", "--toolset", "by.code")
    listening = socket.create_server(("127.0.0.1", 0))
    command = [sys.executable, "-m", "uvicorn", "app.api:api", "--fd", str(listening.fileno()), "--log-level", "error"]
    with subprocess.Popen(command, cwd=project, pass_fds=[listening.fileno()]) as server:
        try:
            url = (
                f"http://127.0.0.1:{listening.getsockname()[1]}/openapi.json"  # the socket accepts before it is served
            )
            done = toolgen(project, "import", "openapi", url, "--toolset", "by.url")
        finally:
            server.terminate()
            listening.close()
    assert done.code == 0, done.err
    found = [
        (project / "specs" / f"by.{name}.yaml").read_text().partition("\ntools:\n")[2].partition("\nimported:")[0]
        for name in ("code", "url")
    ]
    assert found[0] == found[1]
    assert "  get_item:\n" in found[0]


def test_sources_are_kept_and_compared(project: Path) -> None:
    toolgen(project, "import", "python", "app.tools:find", "app.tools:buy")
    assert (
        toolgen(project, "import", "python", "--toolset", "app.tools").out
        == "specs/app.tools.yaml: 2 tools, up to date\n"
    )
    same = toolgen(project, "import", "python", "--check")
    assert (same.code, same.out) == (0, "app.tools: 2 tools, unchanged\n"), same.err
    code = project / "app" / "tools.py"
    code.write_text(code.read_text().replace("limit: int = 2", "limit: int = 2, size: Size = Size.SMALL"))
    text = (project / "specs" / "app.tools.yaml").read_text()
    done = toolgen(project, "import", "python", "--check", "--toolset", "app.tools")
    assert done.code == 1
    assert "app.tools.find: " in done.out
    found = toolgen(project, "import", "python", "--check", "--format", "json")
    assert (found.code, list(found.json)) == (1, ["toolsets"])
    [checked] = found.json["toolsets"]
    assert checked.keys() == {"toolset", "tools", "changes", "suspicions", "left_out"}
    assert (checked["toolset"], checked["tools"], checked["suspicions"], checked["left_out"]) == (
        "app.tools",
        2,
        [],
        [],
    )
    assert {change["tool"] for change in checked["changes"]} == {"app.tools.find"}
    assert all(change.keys() == {"tool", "code", "level", "summary", "diff"} for change in checked["changes"])
    assert (project / "specs" / "app.tools.yaml").read_text() == text


def test_the_variables_of_an_app_are_named_and_a_module_that_fails_keeps_no_other_from_being_checked(
    project: Path,
) -> None:
    (project / "app/signed.py").write_text(
        "from fastapi import Depends, FastAPI\nfrom fastapi.security import APIKeyHeader\n\n"
        "api = FastAPI()\n\n\n@api.get('/')\ndef home(key: str = Depends(APIKeyHeader(name='X-Key'))) -> str:\n"
        '    "Show the home page."\n    return key\n'
    )
    done = toolgen(project, "import", "python", "app.signed:api", "--toolset", "a.signed")
    assert done.out == (
        "specs/a.signed.yaml: 1 tool, 1 new\n"
        "  to run the tools, set these environment variables:\n"
        "  A_SIGNED_API_KEY_HEADER_KEY: value of APIKeyHeader\n"
    )
    toolgen(project, "import", "python", "app.tools:find")
    spec = project / "specs/a.signed.yaml"
    spec.write_text(
        spec.read_text().replace('import: {python: ["app.signed:api"]}', 'import: {python: ["app.gone:api"]}')
    )
    checked = toolgen(project, "import", "python", "--check")
    assert (checked.code, checked.out) == (2, "app.tools: 1 tool, unchanged\n")
    assert "a.signed: A source of a.signed cannot be read." in checked.err
    assert "there is no module `app.gone`" in checked.err

    text = spec.read_text()
    again = toolgen(project, "import", "python", "--toolset", "a.signed")
    assert (again.code, again.out) == (1, "")
    assert "specs/a.signed.yaml: not written" in again.err
    assert spec.read_text() == text


@pytest.mark.parametrize("source", ["app.tools:find", "app.api:api"])
@pytest.mark.parametrize(
    "problem", ["1 / 0", "raise SystemExit(0)", *later(["import not_installed", "def", "find = api = None"])]
)
def test_a_module_that_fails_for_now_changes_no_spec(project: Path, source: str, problem: str) -> None:
    assert toolgen(project, "import", "python", source, "--toolset", "my.tools").code == 0
    spec = project / "specs/my.tools.yaml"
    text = spec.read_text()
    module = project / f"{source.partition(':')[0].replace('.', '/')}.py"
    module.write_text(f"{problem}\n")
    for arguments in (("--toolset", "my.tools"), (source, "--toolset", "my.tools")):
        done = toolgen(project, "import", "python", *arguments)
        assert done.code == 1
        assert "error[TG84" in done.err
        assert spec.read_text() == text
    assert toolgen(project, "import", "python", "--check").code == 2


def test_a_default_that_is_no_json_makes_the_parameter_optional_in_silence(project: Path) -> None:
    (project / "app/odd.py").write_text(
        'def look(at: str, how: str = object()) -> str:\n    "Look at it."\n    return at\n'
    )
    done = toolgen(project, "import", "python", "app.odd:look")
    assert (done.code, done.err) == (0, "")
    assert "required: [at]" in (project / "specs/app.odd.yaml").read_text()


def test_an_app_of_a_spec_is_kept_where_people_deploy_it(project: Path) -> None:
    toolgen(project, "import", "python", "app.api:api")
    spec = project / "specs" / "app.api.yaml"
    spec.write_text(spec.read_text().replace('app: "app.api:api"', "base_url: https://shop.example"))
    assert toolgen(project, "import", "python", "app.api:api").code == 0
    assert 'api: {base_url: "https://shop.example", validate_responses: false}' in spec.read_text()


def test_serve_offers_what_handlers_run(project: Path) -> None:
    toolgen(project, "import", "python", "app.tools:find")
    toolgen(project, "build")
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "app__tools__find", "arguments": {"query": "lamp", "limit": 1}}},
    ]  # fmt: skip
    served = subprocess.Popen(
        [forked_python(), "-m", "toolgen", "-C", str(project), "serve", "--yes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    with served:
        assert served.stdin is not None
        assert served.stdout is not None
        served.stdin.write("".join(json.dumps(each) + "\n" for each in requests))
        served.stdin.flush()
        answers = {}
        while 2 not in answers:
            answer = json.loads(served.stdout.readline())
            answers[answer.get("id")] = answer
        served.stdin.close()
    assert "lamp" in json.dumps(answers[2]["result"]["content"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import os\n\n1 / 0\n", "`bad` cannot be imported: ZeroDivisionError: division by zero (bad.py:3)"),
        ("raise SystemExit(3)\n", "`bad` cannot be imported: SystemExit: 3 (bad.py:1)"),
        ("def f(:\n", "`bad` cannot be imported: SyntaxError: invalid syntax (bad.py, line 1)"),
        ("import notthere\n", "`bad` cannot be imported: ModuleNotFoundError: No module named 'notthere' (bad.py:1)"),
        ("x = 1\n", "`bad` has no public function of its own"),
    ],
)
def test_a_module_that_fails_is_reported_and_the_others_are_imported(project: Path, text: str, says: str) -> None:
    (project / "bad.py").write_text(text, encoding="utf-8")
    done = toolgen(project, "import", "python", "bad", "app.tools:find", "--toolset", "shop")
    assert (done.code, done.out) == (1, "specs/shop.yaml: 1 tool, 1 new\n")
    assert f"error[TG840]: {says}" in done.err
    alone = toolgen(project, "import", "python", "bad")
    assert (alone.code, alone.out) == (1, "")
    assert not (project / "specs" / "bad.yaml").exists()


def test_a_missing_name_keeps_the_tool_that_the_spec_has(project: Path) -> None:
    toolgen(project, "import", "python", "app.tools:find")
    present = (project / "specs" / "app.tools.yaml").read_text()
    code = project / "app" / "tools.py"
    code.write_text(code.read_text().replace("def find", "def finds"))
    done = toolgen(project, "import", "python", "app.tools:find")
    assert "error[TG840]: `app.tools` has no `find`; did you mean `finds`?" in done.err
    assert (project / "specs" / "app.tools.yaml").read_text() == present
    toolgen(project, "build")
    called = toolgen(project, "call", "app.tools.find", '{"query": "x"}', "--yes")
    assert called.code == 2
    assert "the handler of app.tools.find, app.tools:find, cannot be used: `app.tools` has no `find`" in called.err


def test_handlers_that_cannot_be_imported_end_a_call_with_their_place(project: Path) -> None:
    toolgen(project, "import", "python", "app.tools:find")
    toolgen(project, "build")
    (project / "app" / "tools.py").write_text("raise SystemExit('closed')\n")
    called = toolgen(project, "call", "app.tools.find", '{"query": "x"}', "--yes")
    assert called.code == 2
    assert "app.tools: its handlers cannot be imported: SystemExit: closed (app/tools.py:1)" in called.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["app/tools.py"], "`app/tools.py` is no `module` and no `module:name`"),
        (["app.tools:find", "app.api:api"], "name the toolset with --toolset"),
        (["app.tools:find", "app.api:api", "--toolset", "x"], "`app.api:api` is an app, which is a toolset of its own"),
        (["app.tools:find", "--toolset", "mcp.shop"], "`mcp.shop` is not a valid toolset name"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(project: Path, arguments: list[str], says: str) -> None:
    done = toolgen(project, "import", "python", *arguments)
    assert (done.code, says in done.err) == (2, True), done.err
