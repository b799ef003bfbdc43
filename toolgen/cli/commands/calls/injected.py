"""Injected values given on the command line in place of the host's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from toolgen.compiler.diagnostics.diagnostic import listing, nearest
from toolgen.runtime.base.json_text import NotJson, parse

if TYPE_CHECKING:
    from toolgen.contract.records import ToolCallMeta


def injected_values(
    ident: str, wanted: Sequence[str], given: Sequence[str], *, is_stubbed: bool = False
) -> Mapping[str, Callable[[ToolCallMeta], Any]]:
    """Parse the `NAME=VALUE` options of `--inject`, one per field, for `Runtime(inject=...)`.

    A value that is not valid JSON is taken as text. Stubs need no values: those that are missing are null. Raises
    click.UsageError for a name that the tool does not inject, is given twice, or is missing.
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
    if is_stubbed:
        values |= dict.fromkeys(missing)
    elif missing:
        flags = " ".join(f"--inject {name}=VALUE" for name in missing)
        fields = ", ".join(f"`{name}`" for name in missing)
        raise click.UsageError(f"{ident} injects {fields}, and the value is missing: pass {flags}.")
    return {name: partial(_given, value) for name, value in values.items()}


def _given(value: Any, _meta: ToolCallMeta) -> Any:
    return value


def _value(text: str) -> Any:
    try:
        return parse(text)
    except NotJson:
        return text
