"""Handlers of the toolset `code`: files and commands of one project, within a path policy."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolgen.contract.records import FailureKind
from toolgen.execute.paths import PathAccess
from toolgen.runtime.base.effects import check_call
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.processes import ForkSafeLock
from toolgen.runtime.catalog.execution import blocking, guarded
from toolgen.runtime.policy.paths import PathPolicy, is_within
from toolgen.runtime.policy.policy import ENVIRONMENT
from toolgen.toolsets.code.edit import edit_file, write_file
from toolgen.toolsets.code.search import list_dir, search_files
from toolgen.toolsets.code.text import read_file
from toolgen.toolsets.generated.tools.code import RunCommandResult, executor

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.contract.records import ToolCallMeta
    from toolgen.runtime.policy.paths import PathAnswer
    from toolgen.toolsets.generated.tools.code import RunCommandArgs

OUTPUT_BYTES: Final = 8 * 1024 * 1024
"""Bytes kept of each stream; the runtime limits what is shown."""

INSTRUCTION_FILES: Final = frozenset({"AGENTS.md"})

# Results of the built-in toolsets, in a form that is valid for every package a toolset is compiled into.
#
# A host compiles built-in toolsets into its package, with separate classes, and results of another package's classes
# are rejected. So handlers return JSON values, from which `Runtime` builds the class that callers expect.


def json_value(result: BaseModel) -> dict[str, Any]:
    """Convert a result of a class of `toolgen.toolsets.generated` to a JSON object.

    Fields that are None are omitted: no field of a built-in toolset may be null.
    """
    return result.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)


if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import TypeAlias

    from toolgen.contract.records import ToolCallMeta, ToolsetRegistration
    from toolgen.runtime.policy.policy import Policies
    from toolgen.toolsets.generated.tools.code import (
        EditFileArgs,
        ListDirArgs,
        ReadFileArgs,
        RunCommandArgs,
        SearchArgs,
        WriteFileArgs,
    )

    Granted: TypeAlias = Callable[[ToolCallMeta], Collection[str]]
    """Returns the resolved paths that a person allowed for a call, in addition to those that the policy allows."""

MAX_TIMEOUT_MS: Final = 600_000
"""Default timeout of commands."""


def granted_for_call(meta: ToolCallMeta) -> Collection[str]:
    """Return the grants that the permission stage added to the call."""
    return meta.granted


class CodeTools:
    """Handlers of the tools of `code`; `registration()` registers them.

    In a runtime they keep to its policies: paths, variables and maximum timeout. `policy`, which must be for `project`,
    restricts paths further. `granted` is called once per call for its grants: all other access to sensitive files, and
    writes outside the write roots, are refused here, independent of earlier stages. A grant does not let a command run
    outside the write roots. `environment` has the values of the variables that policies allow, by default those of this
    process; `max_timeout_ms` limits the duration of commands, `output_bytes` what is kept of each stream. `ripgrep` is
    the search program, a path or a name. `on_instructions` is called, in a thread, for each file named in
    `instruction_files` that is read in the project.

    Results are JSON, not typed, because the toolset may be compiled into the host's package.
    """

    def __init__(
        self,
        project: str | os.PathLike[str],
        *,
        policy: PathPolicy | None = None,
        granted: Granted = granted_for_call,
        environment: Mapping[str, str] | None = None,
        max_timeout_ms: int = MAX_TIMEOUT_MS,
        output_bytes: int = OUTPUT_BYTES,
        ripgrep: str = "rg",
        on_instructions: OnInstructions | None = None,
        instruction_files: Collection[str] = INSTRUCTION_FILES,
    ) -> None:
        self.policy: Final = PathPolicy(project) if policy is None else policy
        if self.policy.judge(str(Path.cwd() / project)).resolved != self.policy.project:
            raise ValueError(f"the path policy is for another project than {os.fspath(project)!r}")
        self._granted = granted
        self._values = os.environ if environment is None else environment
        self._environment = _among(self._values, ENVIRONMENT)
        self._max_timeout_ms = max_timeout_ms
        self._output_bytes = output_bytes
        self._ripgrep = ripgrep
        self._on_instructions = on_instructions, instruction_files
        self._instructions = _InstructionFiles(self.policy, on_instructions, instruction_files)

    def under(self, policies: Policies) -> CodeTools:
        """Return the same handlers, which keep to policies."""
        bound, policy = copy(self), self.policy.under(policies)
        limits = [self._max_timeout_ms, policies.max_timeout_ms]
        vars(bound).update(
            policy=policy,
            _environment=_among(self._values, policies.env),
            _max_timeout_ms=min(filter(None, limits), default=MAX_TIMEOUT_MS),
            _instructions=_InstructionFiles(policy, *self._on_instructions),
        )
        return bound

    def registration(self) -> ToolsetRegistration:
        """Return the registration for `Runtime(executors=[...])`."""

        def under(policies: Policies) -> ToolsetRegistration:
            return executor(self.under(policies))

        return replace(executor(self), under=under, folder=self.policy.project, home=self.policy.home)

    @blocking
    def read_file(self, args: ReadFileArgs, meta: ToolCallMeta, /) -> Any:
        """Read a text file by lines."""
        access = self._access(meta)
        answer = access.check_read(args.path)
        result = read_file(args, answer, access)
        self._instructions.seen(answer, access, meta)
        return json_value(result)

    @blocking
    def list_dir(self, args: ListDirArgs, meta: ToolCallMeta, /) -> Any:
        """List a directory."""
        return json_value(list_dir(args, self._access(meta)))

    async def search(self, args: SearchArgs, meta: ToolCallMeta, /) -> Any:
        """Search file contents with a regular expression."""
        return json_value(await search_files(args, self._access(meta), ripgrep=self._ripgrep))

    @guarded
    def write_file(self, args: WriteFileArgs, meta: ToolCallMeta, /) -> Any:
        """Write a whole file."""
        return json_value(write_file(args, self._access(meta)))

    @guarded
    def edit_file(self, args: EditFileArgs, meta: ToolCallMeta, /) -> Any:
        """Change parts of one file, by exact replacements or by a unified diff."""
        return json_value(edit_file(args, self._access(meta), project=self.policy.project))

    async def run_command(self, args: RunCommandArgs, meta: ToolCallMeta, /) -> Any:
        """Run a program without a shell."""
        result = await _run_command(
            args,
            self._access(meta),
            meta,
            environment=self._environment,
            max_timeout_ms=self._max_timeout_ms,
            output_bytes=self._output_bytes,
        )
        return json_value(result)

    def _access(self, meta: ToolCallMeta) -> PathAccess:
        return PathAccess(self.policy, self._granted(meta))


def _among(values: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    return {name: values[name] for name in names if name in values}


# The program of `run_command`, in a folder within the write roots, with the host's environment.

_LAST_WORDS: Final = 500


async def _run_command(
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


# Instruction files: the host is notified when an agent reads one, so that it can apply it from then on.

LONGEST: Final = 65536
"""Maximum bytes of a file that are passed on."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """An instruction file that was read. `path` is relative to the project; `text` is its content, up to `LONGEST`."""

    path: str
    text: str


OnInstructions: TypeAlias = "Callable[[Instructions, ToolCallMeta], None]"


class _InstructionFiles:
    """Calls `on_instructions` for each instruction file of the project, once per session."""

    def __init__(self, policy: PathPolicy, on_instructions: OnInstructions | None, names: Collection[str]) -> None:
        self._project = policy.project
        self._on_instructions = on_instructions
        self._names = frozenset(names)
        self._reported: set[tuple[str | None, str]] = set()
        self._lock = ForkSafeLock()  # reads run in concurrent threads

    def seen(self, answer: PathAnswer, access: PathAccess, meta: ToolCallMeta) -> None:
        """Process a file that was read; other files are ignored."""
        folder, _, name = answer.resolved.rpartition("/")
        if self._on_instructions is None or name not in self._names or not is_within(folder, self._project):
            return
        check_call()
        if self._is_new((meta.session_id, answer.resolved)):
            with access.open_file(answer) as file:
                text = file.read(LONGEST).decode("utf-8-sig", errors="replace")
            self._on_instructions(Instructions(answer.resolved[len(self._project) :].lstrip("/"), text), meta)

    def _is_new(self, key: tuple[str | None, str]) -> bool:
        with self._lock:
            known = key in self._reported
            self._reported.add(key)
        return not known
