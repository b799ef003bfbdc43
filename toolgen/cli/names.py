"""Names that a person gives to a command: the tools and toolsets that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolgen.compiler.diagnostics.diagnostic import nearest

if TYPE_CHECKING:
    from collections.abc import Collection

    from toolgen.runtime.catalog.known_tools import KnownTools


def idents_meant(name: str, known: KnownTools) -> tuple[str, ...]:
    """Give the idents of the tools that a name may mean. Raises click.UsageError where there are none."""
    idents = known.find(name)
    if not idents:
        meant = known.nearest(name)
        hint = f"did you mean `{meant[0]}`?" if meant else "See `toolgen list`."
        raise click.UsageError(f"There is no tool `{name}`. {hint}")
    return idents


def ident_meant(name: str, known: KnownTools) -> str:
    """Give the ident of the one tool that a name means. Raises click.UsageError where there is none, or are several."""
    ident, *others = idents_meant(name, known)
    if others:
        raise click.UsageError(f"`{name}` can be any of {', '.join(sorted([ident, *others]))}.")
    return ident


def check_toolset(name: str | None, known: Collection[str]) -> None:
    """Raise click.UsageError for the name of a toolset that is not there; None stands for no name."""
    if name is not None and name not in known:
        raise click.UsageError(f"There is no toolset `{name}`. {nearest(name, known) or 'See `toolgen list`.'}")
