"""Where the paths of a tool's calls start: the folders in which what runs the tool may open a relative path.

Questions, concerns, scopes, grants and the check after an answer all judge the paths that `PathStarts` finds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.base.errors import ExecutorError
from toolgen.runtime.policy.hosts import url_of_server

if TYPE_CHECKING:
    from toolgen.contract.records import ToolsetRegistration
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.catalog.definition import ToolDefinition
    from toolgen.runtime.policy.paths import PathAnswer, PathPolicy

_HOME: Final = "~"


@dataclass(frozen=True, slots=True)
class PathStarts:
    """The folders at which relative paths of a tool's calls may start, relative to the project.

    With `is_in_process` the working directory of this process is another one: code of the host opens paths there. With
    a `home`, `~` stands for that and for nothing else; without one, it may be the home, or a file of that name.
    """

    folders: tuple[str, ...] = (".",)
    is_in_process: bool = False
    home: str = ""

    def resolved(self, paths: PathPolicy) -> tuple[str, ...]:
        """Return the folders, resolved; a path that cannot be resolved is left out."""
        found = [paths.judge(folder).resolved for folder in self.folders]
        if self.is_in_process:
            found.append(_working_directory())
        return tuple(dict.fromkeys(filter(None, found)))

    def judge(self, path: str, paths: PathPolicy, folders: Sequence[str]) -> Iterable[PathAnswer]:
        """Return the policy's answer for each file that a path may lead to, from any of the folders."""
        return dict.fromkeys(self._answers(path, paths, folders))

    def _answers(self, path: str, paths: PathPolicy, folders: Sequence[str]) -> Iterable[PathAnswer]:
        if path.startswith("/"):
            yield paths.judge(path)
            return
        is_of_home = path == _HOME or path.startswith(f"{_HOME}/")
        if is_of_home:
            yield replace(paths.judge(f"{self.home or paths.home}/{path[2:]}"), given=path)
        elif path.startswith(_HOME) and not self.home:
            yield _unusable(path, "OTHER_HOME")
        if not (is_of_home and self.home):
            yield from (replace(paths.judge(f"./{path}" if path else "", base=at), given=path) for at in folders)
        if not folders:
            yield _unusable(path, "NO_FOLDER")


IN_PROJECT: Final = PathStarts()
"""Where paths start that are relative to the project alone."""


def _unusable(path: str, problem: str) -> PathAnswer:
    from toolgen.runtime.policy.paths import PathAnswer, PathProblem  # most tools have no paths

    return PathAnswer(given=path, problem=PathProblem[problem])


def _working_directory() -> str:
    try:
        return os.path.realpath(os.getcwd())  # noqa: PTH109  # texts throughout
    except OSError:  # it was removed
        return ""


def path_starts(
    definition: ToolDefinition,
    toolset: Mapping[str, Any],
    *,
    registration: ToolsetRegistration | None = None,
    folder: str = "",
    has_handler: bool = False,
) -> PathStarts:
    """Return where the paths of a tool start.

    `toolset` is as it runs: with the server that the host passes. `folder` is the project, if that is the folder of the
    executor, or the host has named it. `has_handler` is for a function of the host, which runs instead of what the spec
    says.
    """
    command = definition.settings.command
    if command is not None and not has_handler:
        return PathStarts((command.cwd,))
    server: Mapping[str, Any] = toolset.get("server") or {}
    cwd = server.get("cwd")
    if cwd and not has_handler:
        return PathStarts((cwd,))
    if folder:
        return PathStarts(home="" if registration is None else registration.home)
    return PathStarts(is_in_process=True)


def check_path_starts(catalog: Catalog, registrations: Iterable[ToolsetRegistration]) -> None:
    """Raise `ExecutorError` for a tool with paths that is called over the network: where these start is unknown."""
    for each in registrations:
        compiled = catalog.section("toolsets").get(each.toolset, {})
        server = url_of_server(compiled.get("server", {}) if each.server is None else each.server)
        if each.handlers is not None or not (server or (compiled.get("kind") == "http" and each.hosts)):
            continue
        for ident in catalog.toolsets[each.toolset]:
            if "filesystem" in catalog.entry(ident).tags and catalog.definition(ident).settings.access.has_paths:
                raise ExecutorError(
                    f"the `access` of {ident} names paths, but its calls are sent over the network: where a path "
                    "starts there is unknown, so it cannot be judged here; name these args in `scope`"
                )
