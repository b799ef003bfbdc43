"""The location of a spec that a command writes, and its present content."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from toolgen.authoring.format.update import SpecTooLarge, new_text, updated_text
from toolgen.cli.names import STDIN
from toolgen.cli.output import show_diagnostics
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.project.listing import SUFFIXES
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import MappingNode, ScalarNode
from toolgen.compiler.source.read import read_specs
from toolgen.spec.files import is_inside
from toolgen.spec.text import visible
from toolgen.spec.writing import Changed, replace_inside

if TYPE_CHECKING:
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.project.config import Config, Target
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.read import SpecFile


@dataclass(frozen=True, slots=True)
class SpecPlace:
    """A file in the spec folder of a target. `path` is relative to the project, with `/`; `present` is its content.

    `others` are the names of the tools of the other toolsets in the folder, as their sources have them.
    """

    root: Path
    path: str
    target: Target
    present: SpecFile | None
    others: Mapping[str, tuple[str, ...]]

    @property
    def origin(self) -> dict[str, Any]:
        """What the spec has under `import`."""
        found: dict[str, Any] = self.present.root.to_data().get("import") or {} if self.present else {}
        return found

    def text_of(self, imported: Imported) -> str:
        """Return the text of the spec after an import, as `toolgen fmt` writes it.

        Raises click.UsageError for one that could not be read again.
        """
        try:
            if self.present is None:
                return new_text(self.path, imported.data, imported.comment)
            return updated_text(self.present, imported.data)
        except SpecTooLarge as error:
            advice = "Import the tools in parts, each into its own toolset."
            raise click.UsageError(f"{self.path} is not written: {error}. {advice}") from error
        except ValueError as error:
            advice = "Change the name or the text that has it."
            raise click.UsageError(f"{self.path} is not written: {error}. {advice}") from error

    def write(self, text: str) -> None:
        """Write the text atomically, if it is new; missing folders are created.

        Raises click.UsageError, also for a file that somebody else has written since it was read.
        """
        if self.present is not None and self.present.text == text:
            return
        data = text.encode()
        if len(data) > MAX_BYTES:
            advice = "import the tools in parts, each into its own toolset"
            raise click.UsageError(f"{self.path} would exceed {MAX_BYTES:,} bytes: {advice}.")
        before = None if self.present is None else self.present.text.encode()
        try:
            replace_inside(self.root, self.path, before, data)
        except Changed:
            raise click.UsageError(f"{self.path} has changed meanwhile: run `toolgen import` again.") from None
        except OSError as error:
            raise click.UsageError(f"{self.path} cannot be written: {error.strerror}.") from error


def spec_place(config: Config, toolset: str, out: str | None) -> SpecPlace:
    """Find the spec of a toolset: the file that has it, or `out`, or else a file in the first target's spec folder.

    That file is named after the toolset, or after the server of `mcp.SERVER`.
    Raises click.UsageError for a path outside all spec folders, or one that another spec has.
    """
    default = f"{config.targets[0].specs}/{toolset.removeprefix('mcp.')}.yaml"
    target, path = _below_specs(config, default if out is None else out)
    if not path.endswith(SUFFIXES) or any(part.startswith(".") for part in path.split("/")):
        raise click.UsageError(
            f"{path} would not be read as a spec: its name must end in .yaml, and no part may start with a dot."
        )
    sink = Diagnostics()
    specs = config.root / target.specs
    files = read_specs(specs, config.root, sink) if specs.is_dir() else []
    present = _present(files, toolset, sink)
    if present is not None and out is not None and present.path != path:
        raise click.UsageError(f"{toolset} is already in {present.path}. Omit --out to update it.")
    if present is None and os.path.lexists(config.root / path):
        raise click.UsageError(f"{path} exists and is not the spec of {toolset}. Choose another file with --out.")
    others = {name: _tool_names(file.root) for file in files if (name := _toolset_of(file.root)) not in ("", toolset)}
    return SpecPlace(config.root, present.path if present else path, target, present, others)


def present_spec(config: Config, toolset: str) -> tuple[Target, SpecFile | None]:
    """Find the spec of a toolset in the spec folders of all targets; without one the first target is returned.

    Raises click.UsageError if several specs of a target have it, and for an invalid one.
    """
    for target in config.targets:
        specs, sink = config.root / target.specs, Diagnostics()
        files = read_specs(specs, config.root, sink) if specs.is_dir() else []
        present = _present(files, toolset, sink)
        if present is not None:
            return target, present
    return config.targets[0], None


def stored_path(file: str, root: Path) -> str:
    """Return a path as a spec keeps it: relative to the project; empty for stdin, which cannot be read again."""
    return "" if file == STDIN else PurePosixPath(os.path.relpath(Path(file).absolute(), root)).as_posix()


def kept_path(stored: str, root: Path) -> str:
    """Return the path of a file that a spec keeps as its source: one of the project, and no hidden one.

    Specs may be those of others. Raises click.UsageError for another file, which only a person may name.
    """
    path = Path(os.path.realpath(root / stored))
    inside = os.path.realpath(root)
    if not path.is_relative_to(inside) or any(part.startswith(".") for part in path.relative_to(inside).parts):
        raise click.UsageError(
            f"{visible(stored)} is the source that a spec names, and no visible file of this project: "
            "if you want it to be read, name it on the command line, with --toolset."
        )
    return str(root / stored)


def origins(config: Config, kind: str) -> dict[str, dict[str, Any]]:
    """Return what the specs of a project have under `import`, by toolset, of the ones imported from such a source."""
    found: dict[str, dict[str, Any]] = {}
    for target in config.targets:
        specs = config.root / target.specs
        for file in read_specs(specs, config.root, Diagnostics()) if specs.is_dir() else []:
            origin = file.root.child("import")
            data = origin.to_data() if isinstance(origin, MappingNode) else {}
            if data.get(kind):
                found[_toolset_of(file.root)] = data
    return found


def _below_specs(config: Config, out: str) -> tuple[Target, str]:
    """The target whose spec folder contains a path, links followed, and the path as shown in messages.

    Raises click.UsageError for a path elsewhere.
    """
    real = Path(os.path.realpath(config.root / out))
    project = os.path.realpath(config.root)
    for target in config.targets:
        specs = Path(os.path.realpath(config.root / target.specs))
        if not is_inside(str(specs), project):
            raise click.UsageError(f"{target.specs} is a link that leads out of the project: put the specs inside it.")
        if real.is_relative_to(specs):
            return target, (PurePosixPath(target.specs) / real.relative_to(specs).as_posix()).as_posix()
    folders = " or ".join(f"{target.specs}/" for target in config.targets)
    raise click.UsageError(f"{out} is not in a spec folder: specs of this project are in {folders}.")


def _present(files: list[SpecFile], toolset: str, sink: Diagnostics) -> SpecFile | None:
    """The existing spec of the toolset. Raises click.UsageError if there are several, or if it is invalid."""
    found = [file for file in files if _toolset_of(file.root) == toolset]
    if not found:
        return None
    if len(found) > 1:
        raise click.UsageError(
            f"{toolset} is in several specs: {', '.join(file.path for file in found)}. Keep one of them."
        )
    read_documents(found[:1], sink)
    problems = [problem for problem in sink if problem.span.file == found[0].path]
    if problems:
        show_diagnostics(problems, sink.sources)
        raise click.UsageError(
            f"{found[0].path} cannot be updated because it has errors. Run `toolgen build` to see them."
        )
    return found[0]


def _toolset_of(root: Node) -> str:
    head = root.child("toolset")
    return head.value if isinstance(head, ScalarNode) and isinstance(head.value, str) else ""


def _tool_names(root: Node) -> tuple[str, ...]:
    tools = root.child("tools")
    if not isinstance(tools, MappingNode):
        return ()
    remotes = [(key, tool.child("remote")) for key, tool in tools.entries()]
    return tuple(str(name.value) if isinstance(name, ScalarNode) else key for key, name in remotes)
