"""The template language: only `{{args.name}}` in text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import listing, nearest
from toolgen.spec.templates import BEYOND_A_NAME, BRACES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from toolgen.compiler.diagnostics import Diagnostics, Span

_FIELD = re.compile(r"(args|result)\.(.+)", re.DOTALL)


def fields(template: str) -> Iterator[tuple[str, str]]:
    """Return the references of a checked template: pairs of `args` or `result`, and a field."""
    for inner in BRACES.findall(template):
        match = _FIELD.fullmatch(inner)
        if match:
            yield match[1], match[2]


def check_template(
    template: str, args: Collection[str], span: Span, sink: Diagnostics, *, result: Collection[str] | None = None
) -> None:
    """Report everything in braces that is not a field. `result` is given if the template may use it."""
    for inner in BRACES.findall(template):
        match = _FIELD.fullmatch(inner)
        known = {"args": args, "result": result}.get(match[1]) if match else None
        if match is None or known is None:
            allowed = "`{{args.name}}`" if result is None else "`{{args.name}}` and `{{result.name}}`"
            sink.report("TG402", span, f"`{{{{{inner}}}}}` is not a template: only {allowed} is allowed here")
        elif match[2] not in known and BEYOND_A_NAME.split(match[2])[0] in known:
            sink.report("TG402", span, f"`{{{{{inner}}}}}` is more than the name of a field: no filters, no nesting")
        elif match[2] not in known:
            fix = nearest(match[2], known) or listing("fields", sorted(known))
            sink.report("TG401", span, f"`{{{{{inner}}}}}` names an unknown field", fix=fix)
    rest = BRACES.sub("", template)
    if "{{" in rest or "}}" in rest:
        sink.report("TG402", span, "`{{` and `}}` do not match up", fix="write `{{args.name}}`")
