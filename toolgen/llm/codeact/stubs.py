"""Functions for candidates in a model's code: from compiled stubs, or, for other tools, from their schemas."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolgen.llm.sandbox.sandbox_code import UNCHECKED
from toolgen.providers.stubs import Stub, key_type, plain_stub, write_stubs
from toolgen.runtime.base.errors import CatalogError
from toolgen.runtime.base.located import package_cache
from toolgen.runtime.base.packages import derived_file, read_tool_lines
from toolgen.spec.derived import STUBS_FILE

if TYPE_CHECKING:
    from toolgen.llm.presentations.protocol import Candidates
    from toolgen.runtime.base.packages import Package

_WORD: Final = re.compile(r"\w+")


class CompiledStubs:
    """The stubs of a generated package, parsed on access."""

    def __init__(self, text: bytes = b'{"tools": {}, "types": {}}') -> None:
        """Take the text of the file. Raises ValueError if it is not JSON."""
        document, self._lines = read_tool_lines(text)
        self.types: Mapping[str, str] = document.get("types", {})
        self.open_types = frozenset[str](document.get("open_types", ()))

    def get(self, ident: str) -> Stub | None:
        """Return the stub of a tool; None if it is not compiled."""
        if ident not in self._lines:
            return None
        line = self._lines[ident]
        return Stub(
            function=line["function"],
            parameters=tuple((python, wire) for python, wire in line.get("parameters", ())),
            source=line["source"],
            types=tuple(line.get("types", ())),
            open=line.get("open", False),
        )


@package_cache
def read_stubs(package: str) -> CompiledStubs:
    """Return the stubs of a generated package, by its import name; regenerated if missing or stale.

    Raises `CatalogError`.
    """
    return CompiledStubs(derived_file(package, STUBS_FILE, _made, _is_whole))


def _made(catalog: Package, mark: str) -> str:
    return write_stubs(catalog.tools, catalog.document.get("wire_names", {}), mark)


def _is_whole(text: bytes) -> bool:
    try:
        read_tool_lines(text)
    except ValueError:
        return False
    return True


class Functions:
    """The candidates as functions."""

    def __init__(self, candidates: Candidates, compiled: CompiledStubs) -> None:
        self._candidates = candidates
        self._compiled = compiled

    @cached_property
    def by_name(self) -> Mapping[str, tuple[str, Stub]]:
        """Ident and stub of each function, by its name. Raises `CatalogError` if two have the same name."""
        found: dict[str, tuple[str, Stub]] = {}
        for ident in self._candidates:
            stub = self._compiled.get(ident) or self._plain(ident)
            other, _ = found.setdefault(stub.function, (ident, stub))
            if other != ident:
                raise CatalogError(f"{other} and {ident} would both be the function {stub.function}")
        return found

    def _plain(self, ident: str) -> Stub:
        tool = self._candidates[ident]
        return plain_stub(ident, tool.args, tool.result, tool.description)

    @property
    def types(self) -> Mapping[str, str]:
        """The definitions of shared types, by name."""
        return self._compiled.types

    @property
    def open_types(self) -> Container[str]:
        """The names of types that allow additional keys."""
        return self._compiled.open_types

    def source(self, names: Iterable[str], words: Iterable[str] = (), *, is_checked: bool = False) -> str:
        """Return the definitions of functions, and of the types that they need or that are in `words`, once each.

        With `is_checked`, functions are marked to be ignored by the checker, and types have a form that the sandbox can
        parse: it does not support classes with bases.
        """
        stubs = [self.by_name[name][1] for name in names]
        types = dict.fromkeys(name for stub in stubs for name in stub.types)
        found = [word for word in words if word in self.types]
        while found:
            name = found.pop()
            if name not in types:
                types[name] = None
                found += [word for word in _WORD.findall(self.types[name]) if word in self.types]
        mark = UNCHECKED if is_checked else ""
        return "".join([
            *(_checked(name, self.types[name]) if is_checked else self.types[name] for name in types),
            *(stub.source.replace("\n", f"{mark}\n", 1) for stub in stubs),
        ])  # fmt: skip


def _checked(name: str, source: str) -> str:
    """Convert a TypedDict class to a call. Types in a class contain no `#`, so that starts a comment."""
    head, *lines = source.removesuffix("\n").split("\n")
    if not head.startswith("class "):
        return source
    keys = [line.partition("  # ")[0].strip().partition(": ") for line in lines]
    fields = ", ".join(f"{key!r}: {key_type(text)}" for key, _, text in keys if text)
    return f"{name} = TypedDict({name!r}, {{{fields}}}{', total=False' if 'total=False' in head else ''})\n"
