"""run_command: runs one program, in a folder within the write roots, with the host's environment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.generated.tools.code import RunCommandResult

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta
    from toolgen.execute.paths import PathAccess
    from toolgen.toolsets.generated.tools.code import RunCommandArgs

OUTPUT_BYTES: Final = 8 * 1024 * 1024
"""Bytes kept of each stream; the runtime limits what is shown."""

_LAST_WORDS: Final = 500


async def run_command(
    args: RunCommandArgs,
    access: PathAccess,
    meta: ToolCallMeta,
    *,
    environment: Mapping[str, str],
    max_timeout_ms: int,
    output_bytes: int,
) -> RunCommandResult:
    """Run a program to its end; any exit code is a result. Bytes that are not UTF-8 become U+FFFD.

    Raises `CallFailed` with `timeout`, as `check_working_folder` and `open_folder` do for `cwd`, and as `run_process`
    does.
    """
    from toolgen.execute.processes import report_partial, run_process

    timeout_ms = min(args.timeout_ms, max_timeout_ms)
    answer = access.check_working_folder(args.cwd)
    with access.open_folder(answer) as folder:
        finished = await run_process(
            args.argv,
            cwd=folder.working_directory,
            env=environment,
            timeout_ms=timeout_ms,
            stdout_bytes=output_bytes,
            stderr_bytes=output_bytes,
            on_cancel=partial(report_partial, meta),
        )
    stdout, stderr = (output.decode(errors="replace") for output in (finished.stdout, finished.stderr))
    if finished.timed_out:
        output = (stderr.strip() or stdout.strip())[-_LAST_WORDS:]
        hint = f"its last output: {output}" if output else "it had printed nothing"
        raise CallFailed(FailureKind.TIMEOUT, "timeout", f"the program took longer than {timeout_ms} ms", hint)
    return RunCommandResult(
        exit_code=finished.exit_code,
        stdout=stdout,
        stderr=stderr,
        truncated=finished.stdout_cut or finished.stderr_cut,
    )
