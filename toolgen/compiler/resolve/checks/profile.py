"""Profile `core`: the keywords that every provider supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.compiler.resolve.schemas import keywords
from toolgen.schema.pointer import at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.resolve.schemas.schemas import Bundle


def check_profile(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report every keyword outside the profile, by its path. Types are checked where they are used."""
    for pointer, keyword in outside_core(bundle.json):
        place = "".join(f".{part}" if isinstance(part, str) else f"[{part}]" for part in pointer)
        sink.report(
            "TG210",
            bundle.span([*pointer, keyword], span),
            f"`{keyword}` at `${place}` is outside profile `core`",
            fix='use object, array, scalars, enum, required and bounds, or build with `profile = "full"`',
        )


def outside_core(schema: Any) -> Iterator[tuple[list[str | int], str]]:
    """Return the paths and keywords outside profile `core`. A local type is checked where it is first used."""
    used: set[str] = set()
    stack: list[tuple[Any, list[str | int]]] = [(schema, [])]
    while stack:
        node, pointer = stack.pop()
        if not isinstance(node, dict):
            continue
        reference = node.get("$ref")
        local = _local(reference, schema) if isinstance(reference, str) else None
        if local is not None and isinstance(reference, str) and reference not in used:
            used.add(reference)
            stack.append((local, pointer))
        for key, value in node.items():
            if (key == "$ref" and local is not None) or (key in ("$defs", "definitions") and not pointer):
                continue
            if (key not in keywords.CORE and not key.startswith("x-")) or (
                key == "additionalProperties" and not isinstance(value, bool)
            ):
                yield pointer, key
            elif key == "items":
                stack.append((value, [*pointer, key]))
            elif key == "properties" and isinstance(value, dict):
                stack.extend((inner, [*pointer, key, name]) for name, inner in value.items())


def _local(reference: str, root: Any) -> Any:
    """Return the type that a reference refers to, or None."""
    is_local = reference.startswith(("#/$defs/", "#/definitions/")) and reference.count("/") == 2
    return at(root, reference) if is_local else None
