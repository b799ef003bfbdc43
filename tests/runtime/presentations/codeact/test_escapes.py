"""What a snippet tries against its host: it gets nowhere, is told so, and the next one works."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.presentations.codeact.house import QUICK, house
from toolgen.runtime.presentations.codeact import CodeAct, CodeActLimits
from toolgen.runtime.presentations.codeact.worker import Worker
from toolgen.runtime.presentations.protocol import Snippet

pytest.importorskip("pydantic_monty", reason="the extra `codeact` is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STOPPED = "error: the code was stopped, for "
MEMORY = f"{STOPPED}it needed more memory than it may have; variables are as they were before it"
TIME = f"{STOPPED}it took more time than it may take; variables are as they were before it"


def tried(*snippets: str, **settings: Any) -> list[str]:
    """What is said of snippets after one that works and before one that finds what it left."""
    reports = house().reports("kept = 7", *snippets, "result = lab__echo(x=kept)", **{"limits": QUICK, **settings})
    assert reports[-1] == "result: 7", reports
    return reports[1:-1]


def repr_start(code: str) -> str:
    """A name for a test of code that may be long."""
    return ascii(code[:16])


def hidden(code: str) -> str:
    """Code that the type checker does not look into."""
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
def test_tus_17_files_sockets_processes_and_imports_are_not_there(code: str, tmp_path: Path) -> None:
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
def test_introspection_leads_nowhere(expression: str) -> None:
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
def test_memory_has_an_end(code: str) -> None:
    (report,) = tried(code, limits=CodeActLimits(seconds=5, memory_bytes=96 * 1024 * 1024))
    assert report == MEMORY


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "try:\n    while True: pass\nexcept BaseException:\n    pass",
        "while True:\n    try:\n        pass\n    finally:\n        continue",
        "x = 0\nfor i in range(10**12): x += i",
        "while True: print('x' * 1000)",
    ],
)
def test_tus_17_time_has_an_end(code: str) -> None:
    (report,) = tried(code)
    assert report.endswith(TIME)
    assert len(report) < 10_000


def test_a_pattern_that_would_take_for_ever_does_not() -> None:
    (report,) = tried("import re\nre.match('(a+)+$', 'a' * 60 + 'b')\nresult = 1")
    assert report in ("result: 1", TIME) or report.startswith("error: line 2: ")


def test_the_time_that_calls_take_is_not_the_snippets() -> None:
    async def slow(args: Any) -> Any:
        await asyncio.sleep(2 * QUICK.seconds)
        return args["x"]

    assert house(echo=slow).reports("result = lab__echo(x=1)", limits=QUICK) == ["result: 1"]


def test_calls_have_an_end() -> None:
    world = house()
    limits = CodeActLimits(calls=3)
    reports = world.reports(
        "while True:\n    try:\n        lab__echo(x=1)\n    except BaseException: pass", limits=limits
    )
    assert reports == [f"{STOPPED}it made more calls than 3; variables are as they were before it"]
    assert len(world.requests) == 3


def test_variables_that_are_too_large_to_be_kept_are_not_kept() -> None:
    limits = CodeActLimits(memory_bytes=128 * 1024 * 1024, kept_bytes=16 * 1024 * 1024)
    reports = tried("x = 'a' * 17_000_000\nresult = 1", "x = 1\nresult = x", limits=limits)
    assert reports[0].startswith("result: 1\nvariables are as they were before it, for they would take more memory")
    assert reports[1] == "result: 1"


def test_a_conversation_goes_on_after_variables_that_do_not_fit_again() -> None:
    reports = house().reports("x = [0] * 10_000_000\nresult = 1", "print(1)", "y = 2\nresult = y")
    assert reports[0].startswith("result: 1")
    assert reports[2] == "result: 2"


@pytest.mark.parametrize("body", ["return 1 / 0", "raise ValueError('a\\nresult: 3')", "while True: pass"])
def test_a_conversation_whose_border_is_broken_begins_anew_and_says_so(body: str) -> None:
    reports = house().reports(
        f"def _toolgen_function(*a):\n    {body}", "lab__echo(x=1)", "result = lab__echo(x=1)", limits=QUICK
    )
    assert reports[1].startswith("nothing was run: the variables of earlier code could not be brought back, for ")
    assert reports[1].endswith("All variables are gone; bind again what you need")
    assert "\n" not in reports[1]
    assert reports[2] == "result: 1"


def test_arguments_have_an_end_and_are_not_in_the_outcome() -> None:
    world = house()
    big, many = world.outcomes(
        "lab__echo(x='a' * 500)",
        "for _ in range(9): lab__echo(x='a' * 500)",
        limits=CodeActLimits(argument_bytes=1200),
    )
    assert many.report == f"{STOPPED}its calls were given more than 1200 bytes; variables are as they were before it"
    assert len(world.requests) == 3
    assert "aaa" not in repr(big.asked)


def test_the_stack_has_an_end() -> None:
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


def killed_after(snippet: str, kill: Callable[[int], None]) -> list[str]:
    """Reports of a conversation whose worker is killed from inside a call, and of its next snippet."""
    workers: list[Worker] = []

    def open_worker(limits: CodeActLimits) -> Worker:
        workers.append(Worker(limits))
        return workers[-1]

    def deadly(args: Any) -> Any:
        if args["x"] == "die":
            pid = workers[-1].pid
            assert pid is not None
            kill(pid)
        return args["x"]

    return house(echo=deadly).reports("a = 1", snippet, "result = a", open_worker=open_worker)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGABRT, signal.SIGTERM])
def test_a_worker_that_dies_in_a_call_harms_nobody(sign: signal.Signals) -> None:
    reports = killed_after("a = 2\nlab__echo(x='die')", lambda pid: os.kill(pid, sign))
    assert reports[1:] == [
        f"{STOPPED}the process that ran it died; variables are as they were before it",
        "result: 1",
    ]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("code", ["while True: pass", "lab__echo(x=1)"])
def test_tus_17_cancelling_leaves_no_process_behind(code: str) -> None:
    workers: list[Worker] = []
    began = asyncio.Event()

    def open_worker(_limits: CodeActLimits) -> Worker:
        workers.append(Worker(CodeActLimits(seconds=60)))
        return workers[-1]

    async def for_ever(_args: Any) -> None:
        began.set()
        await asyncio.sleep(60)

    async def cancelled() -> None:
        world = house(echo=for_ever)
        codeact: CodeAct = world.codeact(open_worker=open_worker)
        running = asyncio.create_task(codeact.execute(Snippet(code=code), world))
        while not (workers and workers[0].pid):  # noqa: ASYNC110 - nobody tells when a process is there
            await asyncio.sleep(0.01)
        if "echo" in code:
            await began.wait()
        else:
            await asyncio.sleep(0.2)
        running.cancel()
        done, _ = await asyncio.wait([running], timeout=20)  # it would run for 60 s
        assert done
        assert running.cancelled()
        assert workers[0].pid
        assert not is_alive(workers[0].pid)
        assert (await codeact.execute(Snippet(code="result = 1"), world)).report == "result: 1"

    asyncio.run(cancelled())


def test_no_process_outlives_a_snippet() -> None:
    workers: list[Worker] = []

    def open_worker(limits: CodeActLimits) -> Worker:
        workers.append(Worker(limits))
        return workers[-1]

    house().reports("x = 1", "1 / 0", "x: int = ''", "while True: pass", open_worker=open_worker, limits=QUICK)
    pids = [worker.pid for worker in workers]
    assert len(pids) == 4
    assert not any(pid and is_alive(pid) for pid in pids)


HOST = """
import asyncio
from tests.runtime.presentations.codeact.house import QUICK, house
from toolgen.runtime.presentations.protocol import Snippet

async def main():
    world = house()
    codeact = world.codeact(limits=QUICK)
    for code in ("result = lab__echo(x=1)", "while True: pass"):
        print((await codeact.execute(Snippet(code=code), world)).report)
    running = asyncio.create_task(codeact.execute(Snippet(code="while True: pass"), world))
    await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.wait([running])

asyncio.run(main())
"""


def test_a_host_ends_as_it_should_after_snippets_that_were_stopped() -> None:
    for _ in range(2):
        ended = subprocess.run([sys.executable, "-c", HOST], capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout) == (0, f"result: 1\n{TIME}\n"), ended.stderr
