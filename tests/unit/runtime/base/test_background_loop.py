from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextvars import ContextVar
from typing import Any
from weakref import ref

import pytest

from toolgen.runtime.base.background_loop import BackgroundLoop


def test_the_context_of_the_caller_holds() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    loop = BackgroundLoop()

    async def read() -> str:
        return variable.get()

    for value in ("first", "second"):
        variable.set(value)
        assert loop.run(read()) == value


def test_who_is_interrupted_cancels_the_call() -> None:
    loop, begun, ended = BackgroundLoop(), threading.Event(), threading.Event()
    caller = threading.get_ident()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.set()
            raise

    def interrupt() -> None:
        begun.wait(10)
        time.sleep(0.2)  # until the caller waits
        signal.pthread_kill(caller, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        loop.run(wait())
    assert ended.wait(10)


def test_a_call_in_the_loop_itself_is_an_error() -> None:
    loop = BackgroundLoop()

    async def inner() -> None: ...

    async def outer() -> None:
        loop.run(inner())

    with pytest.raises(RuntimeError, match="would never end"):
        loop.run(outer())


def test_a_loop_ends_with_its_owner() -> None:
    loop, ended = BackgroundLoop(), threading.Event()
    kept = ref(loop)

    async def connect() -> None:
        async def keep() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.set()

        tasks.append(asyncio.create_task(keep()))
        await asyncio.sleep(0)

    tasks: list[Any] = []
    loop.run(connect())
    del loop
    gc.collect()
    assert kept() is None
    assert ended.wait(10)


def test_a_loop_ends_with_the_process_and_closes_what_belongs_to_it() -> None:
    program = """
        import asyncio
        from toolgen.runtime.base.background_loop import BackgroundLoop

        async def connect():
            async def keep():
                try:
                    await asyncio.sleep(60)
                finally:
                    await asyncio.sleep(0.1)
                    print("closed")

            tasks.append(asyncio.create_task(keep()))
            await asyncio.sleep(0)

        tasks = []
        loop = BackgroundLoop()
        loop.run(connect())
    """
    begun = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "closed\n", "")
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("before", ["loop.run(nothing())", ""])
def test_a_call_at_the_end_of_the_process_is_an_error(before: str) -> None:
    program = f"""
        from toolgen.runtime.base.background_loop import BackgroundLoop

        async def nothing(): ...

        class Client:
            def __del__(self):
                loop.run(nothing())

        loop = BackgroundLoop()
        {before}
        kept = Client()
    """
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )
    assert ended.returncode == 0
    assert "RuntimeError: the process is ending: no call can be made any more" in ended.stderr
    assert "never awaited" not in ended.stderr


def test_a_loop_that_cannot_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing() -> None: ...

    def fail(made: Any) -> None:
        made.close()
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(asyncio, "run", fail)
    waiting = nothing()
    with pytest.raises(OSError, match="Too many open files"):
        BackgroundLoop().run(waiting)
    waiting.close()
