"""Attacks of a snippet on its host: they fail with a report, and the next snippet works."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.llm.codeact.code_host import QUICK, code_host, is_alive, pids_of_used_pool
from toolgen.llm.codeact import CodeAct, CodeActLimits, SandboxPool
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.sandbox.process import Process

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable

STOPPED = "error: the code was stopped, because "
MEMORY = f"{STOPPED}it exceeded its memory limit; variables are as they were before it"
TIME = f"{STOPPED}it exceeded its time limit; variables are as they were before it"


def tried(*snippets: str, **settings: Any) -> list[str]:
    """Return the reports of snippets that run between one that assigns a variable and one that reads it."""
    reports = code_host().reports("kept = 7", *snippets, "result = lab__echo(x=kept)", **{"limits": QUICK, **settings})
    assert reports[-1] == "result: 7", reports
    return reports[1:-1]


def repr_start(code: str) -> str:
    """Return a test id for code that may be long."""
    return ascii(code[:16])


def hidden(code: str) -> str:
    """Return code that the type checker does not check."""
    return f"exec({code!r})"


@pytest.mark.parametrize(
    "code",
    [
        "open({path!r}, 'w').write('x')",
        "import pathlib\npathlib.Path({path!r}).write_text('x')",
        "import os\nos.open({path!r}, 66)",
        "import os\nos.system('touch {path}')",
        "import os\nos.fork()",
        "import os\nos.kill(os.getppid(), 9)",
        "import os\nos.environ['PATH']",
        "import os\nos.listdir('/')",
        "import subprocess\nsubprocess.run(['touch', {path!r}])",
        "import socket\nsocket.create_connection(('127.0.0.1', 80))",
        "import ctypes\nctypes.string_at(0)",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
        "import shutil, tempfile\ntempfile.mkdtemp()",
        "import importlib\nimportlib.import_module('os').system('touch {path}')",
        "__import__('os').system('touch {path}')",
        "import sys\nsys.modules['os'].system('touch {path}')",
        "import gc\ngc.get_objects()",
        "import toolgen",
        "import pydantic_monty",
        "import time\ntime.sleep(30)",
    ],
)
def test_tus_17_files_sockets_processes_and_imports_are_unavailable(code: str, tmp_path: Path) -> None:
    path = tmp_path / "touched"
    written = code.replace("{path!r}", repr(str(path))).replace("{path}", str(path))
    for report in tried(written, hidden(written)):
        assert report.startswith(("error: line ", "nothing was run")), report
    assert not path.exists()


@pytest.mark.parametrize(
    "expression",
    [
        "().__class__.__base__.__subclasses__()",
        "lab__echo.__globals__",
        "lab__echo.__code__",
        "lab__echo.__closure__[0].cell_contents",
        "(lambda: 0).__globals__['__builtins__']",
        "_toolgen_call.__self__",
        "'{0.__class__.__mro__}'.format(1)",
        "'{x.__globals__}'.format(x=lab__echo)",
        "getattr(1, '__class__').__mro__",
        "type(1).__subclasses__(object)",
        "[].__reduce_ex__(2)",
        "__builtins__",
        "__loader__",
        "(i for i in [1]).gi_frame.f_back",
        "Exception().__traceback__.tb_frame",
        "vars()",
        "globals()",
        "breakpoint()",
        "input()",
        "compile('1', 'x', 'eval')",
    ],
)
def test_introspection_gives_no_access_to_the_host(expression: str) -> None:
    for report in tried(f"result = str({expression})", hidden(f"result = str({expression})\nprint(result)")):
        assert report.startswith(("error: ", "nothing was run")), report


@pytest.mark.parametrize(
    "code",
    [
        "x = [0] * 10**9",
        "x = 'a' * 10**10",
        "x = 10 ** 10**9",
        "x = '%1000000000d' % 1",
        "x = f'{1:>1000000000}'",
        "x = ['a' * 10**6 for _ in range(10**6)]",
        "x = {i: str(i) for i in range(10**8)}",
        "try:\n    x = [0] * 10**9\nexcept BaseException:\n    x = []",
    ],
)
def test_memory_is_limited(code: str) -> None:
    (report,) = tried(code, limits=CodeActLimits(seconds=5, memory_bytes=96 * 1024 * 1024))
    assert report == MEMORY


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "try:\n    while True: pass\nexcept BaseException:\n    pass",
        "while True:\n    try:\n        pass\n    finally:\n        continue",
        pytest.param("x = 0\nfor i in range(10**12): x += i", marks=pytest.mark.long),
        "while True: print('x' * 10)",
    ],
)
@pytest.mark.variants(1)
def test_tus_17_time_is_limited(code: str) -> None:
    (report,) = tried(code)
    assert report.endswith(TIME)
    assert len(report) < 10_000


def test_a_pattern_with_exponential_time_is_stopped() -> None:
    (report,) = tried("import re\nre.match('(a+)+$', 'a' * 60 + 'b')\nresult = 1")
    assert report in ("result: 1", TIME) or report.startswith("error: line 2: ")


def test_time_spent_in_calls_does_not_count_for_the_snippet() -> None:
    async def slow(args: Any) -> Any:
        await asyncio.sleep(2 * QUICK.seconds)
        return args["x"]

    assert code_host(echo=slow).reports("result = lab__echo(x=1)", limits=QUICK) == ["result: 1"]


def test_the_number_of_calls_is_limited() -> None:
    world = code_host()
    limits = CodeActLimits(calls=3)
    reports = world.reports(
        "while True:\n    try:\n        lab__echo(x=1)\n    except BaseException: pass", limits=limits
    )
    assert reports == [f"{STOPPED}it made more calls than 3; variables are as they were before it"]
    assert len(world.requests) == 3


def test_variables_that_are_too_large_are_not_kept() -> None:
    limits = CodeActLimits(memory_bytes=128 * 1024 * 1024, kept_bytes=16 * 1024 * 1024)
    reports = tried("x = 'a' * 17_000_000\nresult = 1", "x = 1\nresult = x", limits=limits)
    assert reports[0].startswith(
        "result: 1\nvariables are as they were before it, because they would exceed the memory"
    )
    assert reports[1] == "result: 1"


def test_a_conversation_continues_after_variables_that_cannot_be_restored() -> None:
    reports = code_host().reports("x = [0] * 10_000_000\nresult = 1", "print(1)", "y = 2\nresult = y")
    assert reports[0].startswith("result: 1")
    assert reports[2] == "result: 2"


NAMES = [
    "lab__echo", "result", "_toolgen_call", "_toolgen_function", "_toolgen_result", "_toolgen_json", "json", "Any",
    "TypedDict", "reveal_type", "_toolgen_reveal", "type", "str", "len", "dict", "zip", "enumerate", "ValueError",
    "LookupError", "BaseException", "print", "map", "toolgen_checked",
]  # fmt: skip


@pytest.mark.parametrize("how", ["{} = 5", "def {}(*a):\n    while True: pass", "class {}: pass", "exec('{} = 5')"])
def test_a_name_that_a_snippet_shadows_breaks_no_later_snippet(how: str) -> None:
    binding = "\n".join(how.format(name) for name in NAMES)
    reports = code_host().reports(
        "def later(): return lab__echo(x=4)", binding, "v: int = later()\nresult = lab__echo(x=[v, {'a': 1.5}])\n",
        "result = 'text'", limits=QUICK,
    )  # fmt: skip
    assert not reports[1].startswith("nothing was run"), reports[1]
    assert reports[2:] == ['result: [4, {"a": 1.5}]', 'result: "text"']


def test_internal_names_are_not_accessible() -> None:
    world = code_host()
    codeact = world.codeact(limits=QUICK)
    names = vars(codeact._session)["_border"]
    (first, *reports) = world.reports(
        "result = lab__echo(x=1)",
        *(
            f"try:\n    r = {what}\nexcept BaseException as e:\n    r = e\nprint(str(r), repr(r))"
            for what in (
                "eval('locals()')", "eval('(lambda: locals())()')", "lab__echo", "eval('globals()')", "eval('dir()')",
                "eval('vars()')", "eval('lab__echo.__closure__')", "eval('lab__echo(x=print)')",
                "eval('lab__echo(y=1, y=2)')", "eval('lab__echo(1, 2, 3)')", "eval('lab__echo(x=1, **{chr(0): 1})')",
            )
        ),
        codeact=codeact,
    )  # fmt: skip
    assert first == "result: 1"
    output = "\n".join(reports)
    assert not any(name in output for name in (names.call, names.function, names.result))


def test_the_size_of_arguments_is_limited_and_they_are_not_in_the_outcome() -> None:
    world = code_host()
    big, many = world.outcomes(
        "lab__echo(x='a' * 500)",
        "for _ in range(9): lab__echo(x='a' * 500)",
        limits=CodeActLimits(argument_bytes=1200),
    )
    assert (
        many.report == f"{STOPPED}the arguments of its calls exceeded 1200 bytes; variables are as they were before it"
    )
    assert len(world.requests) == 3
    assert "aaa" not in repr(big.calls)


def test_the_stack_is_limited() -> None:
    reports = tried("def f(n): return f(n + 1)\nf(0)", "x = []\nfor _ in range(10**5): x = [x]\nresult = x")
    assert "RecursionError: maximum recursion depth exceeded" in reports[0]
    assert reports[1] == "error: maximum recursion depth exceeded"


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "[" * 20_000 + "]" * 20_000,
        "x = " + "(" * 20_000 + "1" + ")" * 20_000,
        "x = " + "-" * 40_000 + "1",
        "x = " + "1+" * 20_000 + "1",
        "x = " + "not " * 10_000 + "1",
        "x" + ".a" * 20_000,
        "x" + "[0]" * 15_000,
        "\n".join(" " * depth + "if 1:" for depth in range(300)) + "\n" + " " * 300 + "pass",
        "x = 1\n" * 8_000,
        "f'" + '{f"' * 200,
        "lambda: " * 6_000 + "0",
        "\x00",
        "x = '\ud800'",
        "\ufeffx = 1",
        "\u202ex = 1",
    ],
    ids=repr_start,
)
def test_source_of_any_shape_is_refused_or_run(code: str) -> None:
    (report,) = tried(code)
    assert len(report) < 20_000
    assert report


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=80) | st.text(alphabet="(){}[]:=,.'\"\n x1#\\", max_size=80)
)
@settings(max_examples=12, deadline=None)
def test_any_text_is_refused_or_run(code: str) -> None:
    (report,) = tried(code)
    assert report


def _runs(pid: int) -> bool:
    """Whether a process has not ended; its parent may not have looked yet."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX"


def killed_after(snippet: str, kill: Callable[[int], None]) -> list[str]:
    """Return the reports of a conversation whose processes are all killed during a call, and of its next snippets."""
    pool = SandboxPool()

    def deadly(args: Any) -> Any:
        if args["x"] == "die":
            assert len(pool.pids) == 2
            pids = pool.pids
            for pid in pids:
                kill(pid)
            while any(map(_runs, pids)):  # a signal that leaves a core takes its time
                time.sleep(0.01)
        return args["x"]

    return code_host(echo=deadly).reports("a = 1", snippet, "result = a", "result = a + 1", pool=pool)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGABRT, signal.SIGTERM])
def test_processes_that_die_during_a_call_are_replaced_without_other_effects(sign: signal.Signals) -> None:
    reports = killed_after("a = 2\nlab__echo(x='die')", lambda pid: os.kill(pid, sign))
    assert reports[1:] == [
        f"{STOPPED}the process that ran it died; variables are as they were before it",
        "result: 1",
        "result: 2",
    ]


def test_idle_processes_that_die_are_replaced() -> None:
    pool = SandboxPool()
    world = code_host()
    codeact = world.codeact(pool=pool)
    assert world.reports("a = 1", codeact=codeact) == ["it ran; nothing was printed, and `result` was not bound"]
    before = pool.pids
    assert len(before) == 2
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert world.reports("result = lab__echo(x=a)", "result = a", codeact=codeact) == ["result: 1", "result: 1"]
    assert len(pool.pids) == 2
    assert not set(before) & set(pool.pids)


def test_conversations_share_processes_and_nothing_else() -> None:
    pool = SandboxPool()
    world = code_host()
    world.reports("secret = 1\nexec('hidden = 2')\nimport json\nclass Any: pass", pool=pool)
    before = pool.pids
    reports = world.reports(
        "result = secret", "result = eval('secret')", "result = eval('hidden')", "result = eval('json')",
        "v: Any = 7\nresult = v", pool=pool,
    )  # fmt: skip
    assert "Name `secret` used when not defined" in reports[0]
    for report, name in zip(reports[1:4], ("secret", "hidden", "json"), strict=True):
        assert report.startswith(f"error: line 1: NameError: name '{name}' is not defined")
    assert reports[4] == "result: 7"
    assert pool.pids == before


def test_a_closed_pool_leaves_no_process_and_starts_new_ones() -> None:
    pool = SandboxPool()
    world = code_host()
    codeact = world.codeact(pool=pool)
    world.reports("a = 1", codeact=codeact)
    pids = pool.pids
    pool.close()
    assert pool.pids == []
    assert not any(is_alive(pid) for pid in pids)
    assert world.reports("result = a", codeact=codeact) == ["result: 1"]


def test_idle_processes_are_limited_and_an_unreferenced_pool_ends_them() -> None:
    pids = pids_of_used_pool()
    gc.collect()
    assert len(pids) == 2  # one for checks, and one for running
    while any(is_alive(pid) for pid in pids):
        time.sleep(0.01)


def test_a_collected_pool_waits_for_no_process_in_the_code_that_the_collector_interrupts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may interrupt a call of the library that ends them, which would wait for itself."""
    ended_in: list[threading.Thread] = []
    close = Process.close

    def noted(process: Process) -> None:
        ended_in.append(threading.current_thread())
        close(process)

    monkeypatch.setattr(Process, "close", noted)
    pids = pids_of_used_pool()
    gc.collect()
    while any(is_alive(pid) for pid in pids):
        time.sleep(0.01)
    assert threading.main_thread() not in ended_in
    assert {thread.name for thread in ended_in[-2:]} == {"codeact-pools"}


def test_a_program_that_ends_leaves_no_process_of_its_pools() -> None:
    program = "from tests.unit.llm.codeact.code_host import *\nprint(*pids_of_used_pool())"
    for text in (
        program,
        f"{program}\npool = SandboxPool()\ncode_host().reports('a = 1', pool=pool)\nprint(*pool.pids)",
    ):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        pids = [int(pid) for pid in done.stdout.split()]
        assert len(pids) >= 2
        while any(is_alive(pid) for pid in pids):
            time.sleep(0.01)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_gets_an_error_and_leaves_the_processes_of_its_parent_alone() -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning:__main__", "-c", FORKING]  # of forks beside threads
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "result: 1",
        f"sandbox_unavailable: no code can be run, because {FORKED}",
        "the child ended with 0",
        "result: 2",
    ]


FORKED = "this process was forked from one that had run code, where no sandbox can start; use `spawn`"

FORKING = """
import os
from tests.unit.llm.codeact.code_host import code_host

world = code_host()
codeact = world.codeact()
print(*world.reports("a = 1\\nresult = a", codeact=codeact), flush=True)
child = os.fork()
if child == 0:
    print(*world.reports("result = a", codeact=codeact), flush=True)
    os._exit(0)  # as multiprocessing ends a child
print("the child ended with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(*world.reports("result = a + 1", codeact=codeact))
"""


@pytest.mark.parametrize("code", ["while True: pass", "lab__echo(x=1)"])
def test_tus_17_cancelling_leaves_no_process_behind(code: str) -> None:
    pool = SandboxPool()
    began = asyncio.Event()

    async def forever(_args: Any) -> None:
        began.set()
        await asyncio.sleep(60)

    async def cancelled() -> None:
        world = code_host(echo=forever)
        codeact: CodeAct = world.codeact(pool=pool, limits=CodeActLimits(seconds=60))
        running = asyncio.create_task(codeact.execute(Turn(code=code), world))
        while len(pool.pids) < 2:
            assert not running.done(), running.result()
            await asyncio.sleep(0.01)
        pid = pool.pids
        if "echo" in code:
            await began.wait()
        else:
            await asyncio.sleep(0.2)
        running.cancel()
        done, _ = await asyncio.wait([running], timeout=20)  # it would run for 60 s
        assert done
        assert running.cancelled()
        (killed,) = set(pid) - set(pool.pids)
        assert not is_alive(killed)
        assert (await codeact.execute(Turn(code="result = 1"), world)).report == "result: 1"

    asyncio.run(cancelled())


def test_tus_17_a_stopped_process_has_ended_and_is_not_reused() -> None:
    pool = SandboxPool()
    world = code_host()
    codeact = world.codeact(pool=pool, limits=QUICK)
    world.reports("x = 1", codeact=codeact)
    before = set(pool.pids)
    world.reports("1 / 0", "x: int = ''", "x = = 1", "del x", "x = " + "[" * 9000, codeact=codeact)
    assert set(pool.pids) == before
    for code in ("while True: pass", "y = 'a' * 10**9", "for _ in range(101): lab__echo(x=1)"):
        (report,) = world.reports(code, codeact=codeact)
        assert report.startswith(STOPPED)
        assert not [pid for pid in before - set(pool.pids) if is_alive(pid)]
        world.reports("x = 1", codeact=codeact)
        assert len(before & set(pool.pids)) == 1  # the process of the checker
        before = set(pool.pids)


HOST = """
import asyncio
from tests.unit.llm.codeact.code_host import QUICK, code_host
from toolgen.llm.presentations.protocol import Turn
from toolgen.llm.sandbox.process import Process

async def main():
    world = code_host()
    codeact = world.codeact(limits=QUICK)
    for code in ("result = lab__echo(x=1)", "while True: pass"):
        print((await codeact.execute(Turn(code=code), world)).report)
    running = asyncio.create_task(codeact.execute(Turn(code="while True: pass"), world))
    await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.wait([running])

asyncio.run(main())
"""


def test_a_host_exits_normally_after_stopped_snippets() -> None:
    ended = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, f"result: 1\n{TIME}\n"), ended.stderr
