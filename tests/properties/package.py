"""Packages that the real compiler makes of toolset files, imported and unloaded again."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.case import write
from toolgen.compiler.compile import generate
from toolgen.runtime import load
from toolgen.runtime.base.located import forget, locate
from toolgen.runtime.codec.pydantic_types import adapter_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolgen.compiler.ir.catalog import Catalog
    from toolgen.runtime import Catalog as Loaded

_numbers = count()


@contextmanager
def imported(catalog: Catalog) -> Iterator[Loaded]:
    """Write the package of a compiled catalog and load it."""
    with loaded(lambda folder: write(folder, generate(catalog))) as found:
        yield found


@contextmanager
def loaded(write_package: Callable[[Path], None]) -> Iterator[Loaded]:
    """Load a package from a folder."""
    name = f"made_up_{next(_numbers)}"
    with TemporaryDirectory() as folder:
        write_package(Path(folder, name))
        locate(name, Path(folder, name))
        try:
            yield load(name)
        finally:
            forget(name)
            adapter_of.cache_clear()


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, but not true."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
