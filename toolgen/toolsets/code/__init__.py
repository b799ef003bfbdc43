"""Handlers of the toolset `code`: files and commands of one project, within a path policy."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolgen.execute.paths import PathAccess
from toolgen.runtime.catalog.execution import blocking
from toolgen.runtime.policy.paths import PathPolicy
from toolgen.runtime.policy.policy import ENVIRONMENT
from toolgen.toolsets.code.command import OUTPUT_BYTES, run_command
from toolgen.toolsets.code.edit import edit_file, write_file
from toolgen.toolsets.code.instructions import INSTRUCTION_FILES, InstructionFiles, OnInstructions
from toolgen.toolsets.code.read import read_file
from toolgen.toolsets.code.search import list_dir, search_files
from toolgen.toolsets.generated.tools.code import executor

if TYPE_CHECKING:
    from pydantic import BaseModel


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
        self._instructions = InstructionFiles(self.policy, on_instructions, instruction_files)

    def under(self, policies: Policies) -> CodeTools:
        """Return the same handlers, which keep to policies."""
        bound, policy = copy(self), self.policy.under(policies)
        limits = [self._max_timeout_ms, policies.max_timeout_ms]
        vars(bound).update(
            policy=policy,
            _environment=_among(self._values, policies.env),
            _max_timeout_ms=min(filter(None, limits), default=MAX_TIMEOUT_MS),
            _instructions=InstructionFiles(policy, *self._on_instructions),
        )
        return bound

    def registration(self) -> ToolsetRegistration:
        """Return the registration for `Runtime(executors=[...])`."""

        def under(policies: Policies) -> ToolsetRegistration:
            return executor(self.under(policies))

        return replace(executor(self), under=under, folder=self.policy.project)

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

    @blocking
    def write_file(self, args: WriteFileArgs, meta: ToolCallMeta, /) -> Any:
        """Write a whole file."""
        return json_value(write_file(args, self._access(meta)))

    @blocking
    def edit_file(self, args: EditFileArgs, meta: ToolCallMeta, /) -> Any:
        """Change parts of one file, by exact replacements or by a unified diff."""
        return json_value(edit_file(args, self._access(meta), project=self.policy.project))

    async def run_command(self, args: RunCommandArgs, meta: ToolCallMeta, /) -> Any:
        """Run a program without a shell."""
        result = await run_command(
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
