"""`toolgen call`: permission requests, output streams, and errors in handlers of the project."""

from __future__ import annotations

import grp
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import IO, TYPE_CHECKING, Any

import pytest

from tests.project.checkout import ROOT
from tests.unit.cli.at_terminal import at_terminal
from tests.unit.cli.command_line import toolgen
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("call")

RAW_SERVER = ROOT / "tests" / "unit" / "execute" / "mcp" / "raw_server.py"

SPEC = """\
toolgen: 1
toolset: shop.orders
tools:
  find:
    description: Find orders.
    permission: readonly
    args: {limit: {type: integer, maximum: 9}}
    result: integer
  fetch:
    description: Fetch a page.
    permission: readonly
    args: {url: string, pin?: {type: string, format: password}}
    result: integer
    access: {url: url}
  ping:
    description: Ask whether the shop is open.
    permission: readonly
    args: {}
    result: boolean
    limits: {daily_limit: 2}
  count:
    description: Count the orders of a tenant.
    permission: readonly
    args: {tenant: string, since?: integer}
    result: string
    inject: [tenant, since]
  erase:
    description: Erase an order.
    permission: write
    args: {order: integer}
    result: integer
"""
POLICIES = {
    "careful": "toolgen: 1\npolicy: careful\nrules: {shop.orders.erase: deny}\n"
    "modes: {night: {shop.orders.ping: exclude}}\n",
    "open": "toolgen: 1\npolicy: open\nrules: {shop.orders.erase: allow}\n",
}
APP = """\
print("the application starts")

class Shop:
    def find(self, args, meta):
        print("looking for", args.limit)
        return args.limit

    def fetch(self, args, meta):
        return len(args.url)

    def ping(self, args, meta):
        return True

    def count(self, args, meta):
        return repr([args.tenant, args.since])

    def erase(self, args, meta):
        return args.order

shop = Shop()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project that is built."""
    folder = tmp_path_factory.mktemp("call")
    (folder / "specs").mkdir()
    (folder / "specs/orders.yaml").write_text(SPEC)
    for name, text in POLICIES.items():
        (folder / f"specs/{name}.yaml").write_text(text)
    (folder / "toolgen.toml").write_text('executors = {"shop.orders" = "app:shop"}\n')
    built = toolgen(folder, "build")
    assert built.code == 0, built.err
    return folder


@pytest.fixture(autouse=True)
def app(folder: Path) -> Path:
    """Write correct handlers."""
    place = folder / "app.py"
    place.write_text(APP)
    return place


def test_stdout_is_the_result_and_what_handlers_print_is_on_stderr(folder: Path) -> None:
    done = toolgen(folder, "call", "find", '{"limit": 3}', "--format", "json")

    assert done.code == 0
    assert done.json["result"] == 3
    assert done.err == "the application starts\nlooking for 3\n"


THREADS = """\
import asyncio
import threading

class Shop:
    def find(self, args, meta):
        print("in the event loop:", threading.current_thread() is threading.main_thread())
        return self.found(args.limit)

    async def found(self, limit):
        print("awaited in the event loop:", threading.current_thread() is threading.main_thread())
        return limit

    async def fetch(self, args, meta):
        print("in the event loop:", threading.current_thread() is threading.main_thread())
        return 3

    ping = count = erase = find
shop = Shop()
"""


def test_sync_methods_run_in_threads_so_that_they_may_block(folder: Path, app: Path) -> None:
    app.write_text(THREADS)
    sync = toolgen(folder, "call", "find", '{"limit": 3}')
    assert (sync.code, sync.err) == (0, "in the event loop: False\nawaited in the event loop: True\n")
    done = toolgen(folder, "call", "fetch", '{"url": "https://example.org"}', "--yes")
    assert (done.code, done.err) == (0, "in the event loop: True\n")


def test_every_issue_is_reported_once(folder: Path) -> None:
    done = toolgen(folder, "call", "find", '{"limit": 10}')

    assert done.code == 1
    assert done.err.splitlines()[1:] == [
        "invalid_call: invalid payload",
        "  /limit: use a number of at most 9",
    ]


def test_a_result_that_does_not_fit_is_no_fault_of_the_args(folder: Path, app: Path) -> None:
    app.write_text(APP.replace("return args.limit", "return {}"))
    done = toolgen(folder, "call", "find", '{"limit": 3}')

    assert done.code == 1
    assert done.err.splitlines()[2:] == [
        "malformed_result: the result of the tool does not fit its schema",
        "  in the result, /: use an integer",
        "  the tool is at fault, not the call",
    ]


def test_an_exception_of_a_handler_is_shown_with_where_it_was_raised(folder: Path, app: Path) -> None:
    app.write_text(APP.replace("return args.limit", "return {}['o-9']"))
    done = toolgen(folder, "call", "find", '{"limit": 3}')

    assert done.code == 1
    assert done.err.splitlines()[-4:] == [
        f'  File "{app}", line 6, in find',
        "KeyError: 'o-9'",
        "internal: KeyError: 'o-9'",
        "  the tool failed although the call was valid: go on without it, or try other arguments",
    ]


def test_a_tool_with_limits_per_user_says_how_to_name_one(folder: Path) -> None:
    without = toolgen(folder, "call", "ping", "{}")
    assert without.code == 1
    assert "the tool has limits per user, and the call has no user" in without.err
    assert without.err.splitlines()[-1] == "  pass --user NAME: its limits are those of a user"
    for _ in range(3):
        again = toolgen(folder, "call", "ping", "--user", "ann")
        assert again.code == 0, "more than the daily limit: and it says so"
        assert "its limits are counted from zero; give --store to keep the counts" in again.err
    assert toolgen(folder, "call", "ping", "{}", "--user", "ann").out == "true\n"


def test_with_a_store_a_call_is_on_record_and_counts_where_those_of_other_commands_do(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLGEN_LOG_KEY", "ab" * 32)
    store = str(tmp_path / "calls.db")
    ping = ("call", "ping", "{}", "--store", store, "--user")
    first, other, second, again = (toolgen(folder, *ping, user) for user in ("ann", "bo", "ann", "ann"))
    assert (first.code, other.code, second.code, again.code) == (0, 0, 0, 1)
    assert "counted from zero" not in first.err
    assert "rate limit exceeded" in again.err
    listed = toolgen(folder, "log", "--store", store)
    assert (listed.out.count("1 completed"), listed.out.count("1 failed")) == (3, 1)
    (run_id, *_) = listed.out.split()
    head = toolgen(folder, "log", "head", run_id, "--store", store).out.strip()
    assert toolgen(folder, "log", "verify", run_id, "--store", store, "--head", head).code == 0


def test_a_readonly_tool_with_network_access_needs_permission(folder: Path) -> None:
    arguments = ("call", "fetch", '{"url": "https://example.org"}')
    refused, allowed = toolgen(folder, *arguments), toolgen(folder, *arguments, "--yes")

    assert refused.code == 1
    asked = refused.err.splitlines()
    assert "shop.orders.fetch asks to run" in asked
    assert any(line.startswith("   because | careful.network: * for example.org") for line in asked)
    assert "There is no terminal to ask: pass --yes" in asked
    assert (allowed.code, allowed.out) == (0, "19\n")


@pytest.fixture
def api() -> Iterator[int]:
    """Serve an HTTP API; yields its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"[7]" if self.headers["Authorization"] == "Bearer secret" else b"[]"
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name in http.server
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def test_servers_of_specs_need_no_configuration(tmp_path: Path, api: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "raw.yaml").write_text(
        "toolgen: 1\ntoolset: mcp.raw\nkind: mcp\n"
        f"server: {{stdio: [{sys.executable}, {RAW_SERVER}, {tmp_path}], on_drift: warn}}\n"
        "tools:\n  echo: {description: Echo., permission: readonly, args: {answer: object}}\n"
    )
    (tmp_path / "specs" / "api.yaml").write_text(
        f"toolgen: 1\ntoolset: shop.api\nkind: http\n"
        f"api: {{base_url: 'http://127.0.0.1:{api}', auth: {{key: {{type: bearer, token: $env.SHOP_TOKEN}}}}}}\n"
        "tools:\n  list: {description: List., permission: readonly, http: {method: GET, path: /}}\n"
    )
    (tmp_path / "tools.json").write_text(
        json.dumps({"tools": [{"name": "echo", "description": "Echo.", "inputSchema": {"type": "object"}}]})
    )
    assert toolgen(tmp_path, "build").code == 0
    answer = {"content": [{"type": "text", "text": "hello"}]}

    echoed = toolgen(tmp_path, "call", "--yes", "echo", json.dumps({"answer": answer}))
    without = toolgen(tmp_path, "call", "--yes", "list")
    monkeypatch.setenv("SHOP_TOKEN", "secret")
    listed = toolgen(tmp_path, "call", "--yes", "list")

    assert (echoed.code, echoed.out) == (0, '"hello"\n'), echoed.err
    assert without.code == 2
    assert "shop.api: the environment has no variable SHOP_TOKEN" in without.err
    assert (listed.code, listed.out) == (0, "[7]\n"), listed.err


def test_yes_answers_requests_but_does_not_override_deny(folder: Path) -> None:
    call = ("call", "erase", '{"order": 7}')
    denied, without, unknown = (
        toolgen(folder, *call, "--yes"),
        toolgen(folder, *call, "--disable-policy", "careful"),
        toolgen(folder, *call, "--disable-policy", "carefull"),
    )
    assert (denied.code, denied.out) == (1, "")
    assert "permission_denied: shop.orders.erase was not allowed to run: denied by policy" in denied.err
    assert denied.err.splitlines()[-1] == "  see `toolgen policy explain shop.orders.erase`"
    assert (without.code, without.out) == (0, "7\n")
    assert (unknown.code, "There is no policy `carefull`. Did you mean `careful`?" in unknown.err) == (2, True)


def test_trust_in_specs_allows_no_call(folder: Path) -> None:
    switched_off = ("--disable-policy", "careful", "--disable-policy", "open")
    done = toolgen(folder, "call", "erase", '{"order": 7}', "--trust-specs", *switched_off)
    assert (done.code, done.out) == (1, "")
    assert "There is no terminal to ask: pass --yes" in done.err


def test_a_mode_of_the_policies_applies_to_a_call(folder: Path) -> None:
    call = ("call", "ping", "{}", "--mode")
    done = toolgen(folder, *call, "night")
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines()[-2:] == [
        "tool_not_available: shop.orders.ping is excluded",
        "  see `toolgen policy explain shop.orders.ping --mode night`",
    ]
    unknown = toolgen(folder, *call, "nigth")
    assert (unknown.code, "There is no mode `nigth`. Did you mean `night`?" in unknown.err) == (2, True)


@contextmanager
def asked(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a call that needs permission; yields the process and the user's end of the terminal with the question."""
    person, program = pty.openpty()
    command = [forked_python(), "-m", "toolgen", "-C", str(folder), "call", "fetch", '{"url": "https://example.org"}']
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        subprocess.Popen(
            command,
            stdin=program,
            stdout=subprocess.PIPE,
            stderr=program,
            env=environment,
        ) as process,
        os.fdopen(person, "r+b", buffering=0) as terminal,
    ):
        os.close(program)
        shown = b""
        while b"no: " not in shown:
            shown += terminal.read(4096)
        assert b'\r\n arguments | {"url": "https://example.org"}\r\n' in shown
        yield process, terminal


@pytest.mark.parametrize(
    ("typed", "code", "out"), [("y\n", 0, b"19\n"), ("n\n", 1, b""), ("\n", 1, b""), ("\4", 1, b"")]
)
def test_reg_93_a_person_at_the_terminal_is_asked(folder: Path, typed: str, code: int, out: bytes) -> None:
    with asked(folder) as (process, terminal):
        terminal.write(typed.encode())
        assert process.communicate()[0] == out
        assert process.returncode == code


@pytest.mark.parametrize("typed", ["n\n", "d\nnot today\n"])
def test_a_person_who_denied_reads_no_advice_for_models(folder: Path, typed: str) -> None:
    with asked(folder) as (process, terminal):
        terminal.write(typed.encode())
        shown = b""
        with suppress(OSError):  # the other end is closed
            while part := terminal.read(4096):
                shown += part
        assert process.wait() == 1
    assert shown.endswith(b"denied\r\nshop.orders.fetch was not run: you denied it\r\n")
    assert b"do not repeat" not in shown


@pytest.fixture
def approved(tmp_path: Path) -> Callable[[str], Path]:
    """Builds a project whose tool asks, and whose policy says who may answer."""

    def build(rule: str) -> Path:
        (tmp_path / "specs").mkdir()
        (tmp_path / "specs/shop.yaml").write_text(
            "toolgen: 1\ntoolset: shop\ntools: {wipe: {description: Wipe., args: {}, result: integer}}\n"
        )
        (tmp_path / "specs/who.yaml").write_text(f"toolgen: 1\npolicy: who\napprovers: {{shop.wipe: {rule}}}\n")
        assert toolgen(tmp_path, "build").code == 0
        return tmp_path

    return build


CALL = ("call", "shop.wipe", "--stub")


def test_a_call_that_one_person_may_not_allow_asks_nobody_and_says_who_may(approved: Callable[[str], Path]) -> None:
    folder = approved("{people: 2}")
    shown = at_terminal(folder, *CALL, question=b"no: ")
    assert "Run it?" not in shown
    assert "you denied it" not in shown
    assert "it needs the answer of 2 people, and one person answers here; `toolgen runs approve` takes" in shown
    piped, allowed = toolgen(folder, *CALL), toolgen(folder, *CALL, "--yes")
    assert (piped.code, allowed.code) == (1, 1)
    assert "it needs the answer of 2 people, and nobody knows who answers here; `toolgen runs approve`" in piped.err
    assert "pass --yes" not in piped.err
    assert "it needs the answer of 2 people, and who has answered is not known; `toolgen runs approve`" in allowed.err


def test_the_person_at_the_terminal_answers_as_the_user_of_the_system(approved: Callable[[str], Path]) -> None:
    group = grp.getgrgid(os.getgid()).gr_name
    shown = at_terminal(approved(f"{{roles: [{group}]}}"), *CALL, question=b"no: ")
    assert f" approvers | {group}\n" in shown
    assert "allowed once" in shown
    assert "a stub answered: no tool has run" in shown


def test_a_question_ends_with_ctrl_c(folder: Path) -> None:
    with asked(folder) as (process, _terminal):
        process.send_signal(signal.SIGINT)
        assert process.communicate()[0] == b""
        assert process.returncode == 130


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = (\n", "SyntaxError: '(' was never closed (app.py, line 1)"),
        ("\nx = 1 / 0\n", "ZeroDivisionError: division by zero (app.py:2)"),
        ("import nowhere_to_be_found\n", "ModuleNotFoundError: No module named 'nowhere_to_be_found' (app.py:1)"),
        ("raise SystemExit('no database')\n", "SystemExit: no database (app.py:1)"),
        ("raise ValueError('one\\ntwo')\n", "ValueError: one (app.py:1)"),
        ("shops = 5\n", "AttributeError: module 'app' has no attribute 'shop'"),
        ("shop = 5\n", "AttributeError: 'int' object has no attribute "),
        (APP.replace("def fetch", "def fetsh"), "AttributeError: 'Shop' object has no attribute 'fetch'"),
        (
            "class Shop:\n    def __init__(self, db): ...\n\nshop = Shop\n",
            "TypeError: Shop.__init__() missing 1 required positional argument: 'db'",
        ),
        (
            "import toolgen.contract.records as r\nshop = r.ToolsetRegistration(toolset='shop.orders', handlers={})\n",
            "the handlers of shop.orders lack ",
        ),
    ],
)  # fmt: skip
def test_unusable_handlers_are_reported_in_one_line_without_a_traceback(
    folder: Path, app: Path, text: str, problem: str
) -> None:
    app.write_text(text)
    done = toolgen(folder, "call", "find", '{"limit": 3}')

    assert done.code == 2
    *_, last = done.err.splitlines()
    assert last.startswith(f'Error: executors."shop.orders" = "app:shop" cannot be used: {problem}')
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("head", "tool", "remedy"),
    [
        (
            "toolset: mcp.clock\nkind: mcp",
            "",
            "Add `server: {stdio: [PROGRAM, ARG]}` or `server: {http: URL}` to specs/saved.yaml, and build.",
        ),
        (
            "toolset: shop.api\nkind: http",
            ", http: {method: GET, path: /now}",
            "Add `api: {base_url: URL}` to specs/saved.yaml, and build.",
        ),
        (
            "toolset: shop.orders",
            "",
            (
                'Write `executors = {"shop.orders" = "app:handlers"}`'
                ", or `handler: app:function` in the spec of each tool."
            ),
        ),
    ],
)
def test_a_toolset_that_nothing_runs_is_told_what_its_kind_takes(
    tmp_path: Path, head: str, tool: str, remedy: str
) -> None:
    (tmp_path / "specs").mkdir()
    spec = f"toolgen: 1\n{head}\ntools:\n  now: {{description: Now., permission: readonly, args: {{}}{tool}}}\n"
    (tmp_path / "specs/saved.yaml").write_text(spec)
    built = toolgen(tmp_path, "build")
    assert built.code == 0, built.err
    done = toolgen(tmp_path, "call", "now")
    toolset = head.split()[1]
    assert (done.code, done.err) == (2, f"Error: No executor is configured for `{toolset}`. {remedy}\n")


COMMANDS = """\
toolgen: 1
toolset: team.shell
kind: command
tools:
  where:
    description: Where it runs.
    permission: readonly
    args: {}
    result: string
    command: {exec: [pwd], cwd: sub}
  write:
    description: Write a file.
    args: {file: string}
    command: {exec: [touch, --, "{{args.file}}"]}
"""


def test_a_command_is_run_by_its_spec_in_the_folder_of_the_project(tmp_path: Path) -> None:
    for folder in ("specs", "sub", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "specs/shell.yaml").write_text(COMMANDS)
    assert toolgen(tmp_path, "build").code == 0
    done = toolgen(tmp_path, "call", "team.shell.where")
    assert done.code == 2
    assert "team.shell starts the program: pwd\n" in done.err
    assert "pass --trust-specs" in done.err
    done = toolgen(tmp_path, "call", "team.shell.where", "--trust-specs")
    assert (done.code, done.out) == (0, json.dumps(f"{(tmp_path / 'sub').resolve()}\n") + "\n"), done.err
    done = toolgen(tmp_path, "call", "team.shell.write", '{"file": "new.txt"}', "--trust-specs")
    assert (done.code, "pass --yes" in done.err) == (1, True)  # consent to programs allows no call
    assert not (tmp_path / "new.txt").exists()
    assert toolgen(tmp_path, "call", "team.shell.write", '{"file": "new.txt"}', "--yes").code == 0
    assert (tmp_path / "new.txt").exists()


@pytest.mark.parametrize("name", ["Handlers", "registered"])
def test_handlers_do_not_run_in_place_of_the_programs_of_a_spec(tmp_path: Path, name: str) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "specs/shell.yaml").write_text(COMMANDS)
    (tmp_path / "app.py").write_text(
        "from toolgen.execute import CommandHost, command_executor\n"
        "from toolgen.runtime import PathPolicy, ToolsetRegistration, load\n\n"
        "class Handlers:\n"
        "    def where(self, args, meta):\n"
        "        return 'no program ran'\n"
        "    write = where\n\n"
        "registered = ToolsetRegistration(toolset='team.shell', handlers={'team.shell.where': Handlers().where})\n"
        "commands = command_executor(load('generated'), 'team.shell', CommandHost(paths=PathPolicy('.')))\n"
    )
    (tmp_path / "toolgen.toml").write_text(f'executors = {{"team.shell" = "app:{name}"}}\n')
    assert toolgen(tmp_path, "build").code == 0
    done = toolgen(tmp_path, "call", "team.shell.where")
    assert (done.code, done.out) == (2, "")
    assert "handlers would run in place of the programs of the spec" in done.err
    (tmp_path / "toolgen.toml").write_text('executors = {"team.shell" = "app:commands"}\n')
    done = toolgen(tmp_path, "call", "team.shell.where")
    assert (done.code, done.out) == (0, json.dumps(f"{(tmp_path / 'sub').resolve()}\n") + "\n"), done.err


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (["tenant=a", "since=3"], "['a', 3]"),
        (["tenant=a=b", "since=3"], "['a=b', 3]"),
        (['tenant="5"', "since=3"], "['5', 3]"),
        (["tenant=", "since=3"], "['', 3]"),
        (["tenant=NaN", "since=3"], "['NaN', 3]"),
    ],
)
def test_injected_values_are_given_with_inject(folder: Path, given: list[str], result: str) -> None:
    flags = [word for each in given for word in ("--inject", each)]
    done = toolgen(folder, "call", "count", *flags, "--format", "json")

    assert done.code == 0, done.out
    assert done.json["result"] == result


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (
            [],
            "injects `tenant`, `since`, and the value is missing: pass --inject tenant=VALUE --inject since=VALUE.",
        ),
        (["tenant=a"], "shop.orders.count injects `since`, and the value is missing: pass --inject since=VALUE."),
        (["tenant=a", "tenat=b"], "shop.orders.count does not inject `tenat`: did you mean `tenant`?"),
        (["x=1"], "does not inject `x`: the injected fields are `tenant`, `since`."),
        (["tenant"], "--inject takes NAME=VALUE, and `tenant` has no `=`."),
        (["tenant=a", "tenant=b"], "`--inject tenant=...` is given twice."),
    ],
)
def test_a_missing_or_unknown_injected_value_is_reported_with_its_flag(
    folder: Path, given: list[str], problem: str
) -> None:
    done = toolgen(folder, "call", "count", *(word for each in given for word in ("--inject", each)))

    assert done.code == 2
    assert done.err.splitlines()[-1].endswith(problem)


def test_a_tool_without_injected_fields_accepts_none(folder: Path) -> None:
    done = toolgen(folder, "call", "find", '{"limit": 3}', "--inject", "tenant=a")

    assert (done.code, "shop.orders.find does not inject `tenant`: there are no injected fields." in done.err) == (
        2,
        True,
    )


def test_an_injected_value_of_another_type_is_an_error(folder: Path) -> None:
    done = toolgen(folder, "call", "count", "--inject", "tenant=5", "--inject", "since=3")

    assert done.code == 1
    assert "a value of the wrong type into shop.orders.count: tenant" in done.err


def test_args_that_are_not_utf_8_are_an_error_without_a_traceback(folder: Path) -> None:
    command = [forked_python(), "-m", "toolgen", "-C", str(folder), "call", "find", "-"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, input=b'{"limit": "\xff"}', capture_output=True, env=environment, check=False)

    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_a_secret_is_not_sent_as_a_record_has_it(folder: Path) -> None:
    recorded = {"url": "https://example.com/[redacted]", "pin": "[redacted]"}
    done = toolgen(folder, "call", "fetch", json.dumps(recorded), "--stub")
    assert (done.code, done.out) == (2, "")
    assert "ARGS: /pin is `[redacted]`, which records have in place of a value" in done.err
    assert toolgen(folder, "call", "fetch", json.dumps({**recorded, "pin": "1234"}), "--stub", "--yes").code == 0


def test_a_stub_answers_without_handlers_consent_and_injected_values(folder: Path, app: Path) -> None:
    app.unlink()
    done = toolgen(folder, "call", "count", "{}", "--stub")
    assert done.code == 0, done.err
    assert isinstance(json.loads(done.out), str)
    assert done.err == "a stub answered: no tool has run\n"
    assert toolgen(folder, "call", "count", "{}", "--stub").out == done.out


def test_all_but_the_tool_itself_is_the_same_with_a_stub(folder: Path) -> None:
    invalid = toolgen(folder, "call", "find", '{"limit": 10}', "--stub")
    denied = toolgen(folder, "call", "erase", '{"order": 1}', "--stub", "--yes")
    assert (invalid.code, denied.code) == (1, 1)
    assert "/limit" in invalid.err
    assert "permission_denied" in denied.err
