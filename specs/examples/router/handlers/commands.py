"""Commands: one program, run as a list of arguments in a folder and an environment of its own."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from toolgen.execute import run_process
from toolgen.runtime import CallFailed, FailureKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.execute import FinishedProcess

TIMEOUT_MS: Final = 10_000
OUTPUT_BYTES: Final = 65_536


async def run_argv(argv: Sequence[str], *, timeout_ms: int = TIMEOUT_MS) -> FinishedProcess:
    """Run a program without a shell, in an empty temporary folder and with an empty environment, and wait for its end.

    That keeps secrets of the environment and the files of the project out of reach of what is relative, and is no
    sandbox: a host that offers this to a model runs it in a container or a virtual machine. Raises `CallFailed` with
    `timeout`, and what `run_process` raises.
    """
    with TemporaryDirectory(prefix="router-") as folder:
        finished = await run_process(
            argv, cwd=folder, env={}, timeout_ms=timeout_ms, stdout_bytes=OUTPUT_BYTES, stderr_bytes=OUTPUT_BYTES
        )
    if finished.timed_out:
        raise CallFailed(FailureKind.TIMEOUT, "timeout", f"the program took longer than {timeout_ms} ms")
    return finished
