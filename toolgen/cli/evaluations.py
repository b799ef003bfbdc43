"""Evaluations of a project, checked beside its specs: `toolgen build` tells what no longer fits the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.spec.files import read_file_inside

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config

_LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a catalog."""


def checked_evaluations(config: Config) -> Diagnostics | None:
    """Check the evaluations of a project against its built packages; None if it has none."""
    if not (config.root / "evals").is_dir():
        return None
    from toolgen.evaluate.cases import cases_of, eval_files, read_evaluations  # brings pydantic, as what follows
    from toolgen.runtime.catalog.catalog import Catalog

    files = eval_files(config.root)
    if not files:
        return None
    sink = Diagnostics()
    places = [config.root / target.out / "catalog.json" for target in config.targets]
    catalogs = [Catalog(text=read_file_inside(place, config.root, _LARGEST)) for place in places]
    cases_of(read_evaluations(config.root, files, sink), catalogs, sink)
    return sink
