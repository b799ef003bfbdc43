"""Injected values: what stands in on the command line for the host that fills fields in."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from toolgen.compiler.diagnostics.diagnostic import listing, nearest
from toolgen.runtime.base.json_text import NotJson, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.runtime import ToolCallMeta


def injected_values(
    ident: str, wanted: Sequence[str], given: Sequence[str]
) -> Mapping[str, Callable[[ToolCallMeta], Any]]:
    """Read `NAME=VALUE` of `--inject`, one for each field that the tool injects, as a runtime takes them.

    A value is JSON where it parses as such, or else a text. Raises click.UsageError for a name that the tool does not
    inject, is given twice or left out.
    """
    values: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not equals:
            raise click.UsageError(f"--inject takes NAME=VALUE, and `{each}` has no `=`.")
        if name not in wanted:
            hint = nearest(name, wanted) or f"{listing('injected fields', wanted)}."
            raise click.UsageError(f"{ident} does not inject `{name}`: {hint}")
        if name in values:
            raise click.UsageError(f"`--inject {name}=...` is given twice.")
        values[name] = _value(text)
    missing = [name for name in wanted if name not in values]
    if missing:
        flags = " ".join(f"--inject {name}=VALUE" for name in missing)
        fields = ", ".join(f"`{name}`" for name in missing)
        raise click.UsageError(f"{ident} injects {fields}, and no value is given for it: give {flags}.")
    return {name: partial(_given, value) for name, value in values.items()}


def _given(value: Any, _meta: ToolCallMeta) -> Any:
    return value


def _value(text: str) -> Any:
    try:
        return parse(text)
    except NotJson:
        return text
