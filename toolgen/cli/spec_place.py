"""Spec place: where a spec that a command writes lies, and what is there already."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from toolgen.cli.output import show_diagnostics
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents import read_documents
from toolgen.compiler.listing import SUFFIXES
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import ScalarNode
from toolgen.compiler.source.read import read_specs
from toolgen.spec.files import is_inside

if TYPE_CHECKING:
    from toolgen.compiler.config import Config, Target
    from toolgen.compiler.source.nodes import Node
    from toolgen.compiler.source.read import SpecFile


@dataclass(frozen=True, slots=True)
class SpecPlace:
    """A file below the specs of a target. `path` is relative to the project, with `/`; `present` is what it holds."""

    root: Path
    path: str
    target: Target
    present: SpecFile | None

    def write(self, text: str) -> None:
        """Put a text there, whole or not at all; folders on the way are made. Raises click.UsageError."""
        data = text.encode()
        if len(data) > MAX_BYTES:
            advice = "import the tools in parts, each into a toolset of its own"
            raise click.UsageError(f"{self.path} would be over {MAX_BYTES:,} bytes: {advice}.")
        file = self.root / self.path
        unfinished = file.with_name(f".{file.name}.new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            unfinished.unlink(missing_ok=True)
            with unfinished.open("xb") as made:  # never through a link that was put there
                made.write(data)
            unfinished.replace(file)
        except OSError as error:
            with suppress(OSError):  # why it could not be written is what counts
                unfinished.unlink(missing_ok=True)
            raise click.UsageError(f"{self.path} cannot be written: {error.strerror}.") from error


def spec_place(config: Config, toolset: str, out: str | None) -> SpecPlace:
    """Find the spec of a toolset: where it is, or where `out` puts it, or else below the specs of the first target.

    Raises click.UsageError for a place that is outside of all specs, or taken by another spec.
    """
    default = f"{config.targets[0].specs}/{toolset.rpartition('.')[2]}.yaml"
    target, path = _below_specs(config, default if out is None else out)
    if not path.endswith(SUFFIXES) or any(part.startswith(".") for part in path.split("/")):
        raise click.UsageError(
            f"{path} would not be read as a spec: its name must end in .yaml, and no part of it start with a dot."
        )
    present = _present(config, target, toolset)
    if present is not None and out is not None and present.path != path:
        raise click.UsageError(f"{toolset} is in {present.path} already. Leave --out away to bring it up to date.")
    if present is None and os.path.lexists(config.root / path):
        raise click.UsageError(
            f"{path} is there already, and is not the spec of {toolset}. Choose another place with --out."
        )
    return SpecPlace(config.root, present.path if present else path, target, present)


def _below_specs(config: Config, out: str) -> tuple[Target, str]:
    """The target whose specs a path lies below, links followed, and the path as specs are shown.

    Raises click.UsageError for one that lies elsewhere.
    """
    real = Path(os.path.realpath(config.root / out))
    project = os.path.realpath(config.root)
    for target in config.targets:
        specs = Path(os.path.realpath(config.root / target.specs))
        if not is_inside(str(specs), project):
            raise click.UsageError(f"{target.specs} is a link that leads out of the project: put the specs here.")
        if real.is_relative_to(specs):
            return target, (PurePosixPath(target.specs) / real.relative_to(specs).as_posix()).as_posix()
    folders = " or ".join(f"{target.specs}/" for target in config.targets)
    raise click.UsageError(f"{out} is no place for a spec: specs of this project lie in {folders}.")


def _present(config: Config, target: Target, toolset: str) -> SpecFile | None:
    """The spec that has the toolset already. Raises click.UsageError where there are several, or one that is broken."""
    sink = Diagnostics()
    specs = config.root / target.specs
    files = read_specs(specs, config.root, sink) if specs.is_dir() else []
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
            f"{found[0].path} cannot be brought up to date: it has errors of its own. See `toolgen build`."
        )
    return found[0]


def _toolset_of(root: Node) -> object:
    head = root.child("toolset")
    return head.value if isinstance(head, ScalarNode) else None
