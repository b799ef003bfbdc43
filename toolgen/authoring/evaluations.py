"""Evaluations of a project, checked beside its specs: `build`, `lint` and `dev` tell what no longer fits the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.compiler.build import state_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.listing import EVALUATIONS, list_evaluations
from toolgen.spec.files import read_file_inside

if TYPE_CHECKING:
    from toolgen.compiler.project.config import Config
    from toolgen.runtime.catalog.catalog import Catalog

_LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a catalog."""

_KIND: Final = "evaluations"
"""What the cache has of evaluations without errors."""


def checked_evaluations(config: Config, *, is_kept: bool = True) -> Diagnostics:
    """Check the evaluations of a project against its built packages.

    Where nothing has changed since they had no errors, none is read. With `is_kept` false, that is not noted.
    """
    sink = Diagnostics()
    if not list_evaluations(config.root):
        return sink
    key = state_of(config, EVALUATIONS)
    cache = open_cache(config.root, is_kept=is_kept)
    if cache.get(_KIND, key) is None:
        from toolgen.evaluate.cases import cases_of, read_evaluations  # brings pydantic, as what follows
        from toolgen.runtime.catalog.catalog import Catalog

        places = [config.root / target.out / "catalog.json" for target in config.targets]
        catalogs = [Catalog(text=read_file_inside(place, config.root, _LARGEST)) for place in places]
        cases_of(read_evaluations(list_evaluations(config.root), sink), catalogs, sink)
        if not list(sink):
            cache.put(_KIND, key, True)
    return sink


def compiled_catalogs(config: Config) -> list[Catalog]:
    """Return the catalogs that the specs of a project compile to, without building; none where specs have errors."""
    from toolgen.compiler.compile import compile_specs
    from toolgen.compiler.emit.catalog_json import emit_catalog_json
    from toolgen.runtime.catalog.catalog import Catalog

    cache, sink = open_cache(config.root), Diagnostics()
    compiled = [compile_specs(config.root, target, sink, cache=cache).catalog for target in config.targets]
    return [] if sink.has_errors else [Catalog(text=emit_catalog_json(each).encode()) for each in compiled]


def linted_evaluations(config: Config) -> Diagnostics:
    """Check the evaluations of a project against its specs, which have no errors."""
    sink = Diagnostics()
    if listed := list_evaluations(config.root):
        from toolgen.evaluate.cases import cases_of, read_evaluations

        cases_of(read_evaluations(listed, sink), compiled_catalogs(config), sink)
    return sink
