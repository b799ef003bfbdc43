"""Names given on the command line: of tools and toolsets, and of addresses to listen at."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import click

from toolgen.compiler.diagnostics.diagnostic import closest

if TYPE_CHECKING:
    from toolgen.runtime.catalog.known_tools import KnownTools


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the sentence "Did you mean …?" with the known name closest to `name`; empty if none is close."""
    meant = closest(name, known)
    return f"Did you mean `{meant}`?" if meant else ""


def idents_meant(name: str, known: KnownTools) -> tuple[str, ...]:
    """Return the idents of the tools that a name may refer to. Raises click.UsageError if there are none."""
    idents = known.find(name)
    if not idents:
        meant = known.nearest(name)
        hint = f"Did you mean `{meant[0]}`?" if meant else "See `toolgen list`."
        raise click.UsageError(f"There is no tool `{name}`. {hint}")
    return idents


def ident_meant(name: str, known: KnownTools) -> str:
    """Return the ident of the tool that a name refers to. Raises click.UsageError if there is none or several."""
    ident, *others = idents_meant(name, known)
    if others:
        raise click.UsageError(f"`{name}` is ambiguous: {', '.join(sorted([ident, *others]))}.")
    return ident


def check_toolset(name: str | None, known: Collection[str]) -> None:
    """Raise click.UsageError for the name of an unknown toolset. None is no name, and passes."""
    if name is not None and name not in known:
        raise click.UsageError(f"There is no toolset `{name}`. {suggestion(name, known) or 'See `toolgen list`.'}")


def place_of(address: str) -> tuple[str, int]:
    """Return the host and the port of `[HOST:]PORT`. Raises click.UsageError."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise click.UsageError(f"--http {address}: this is not [HOST:]PORT, such as 8000 or 127.0.0.1:8000")
    return host.strip("[]") or "127.0.0.1", int(port)
