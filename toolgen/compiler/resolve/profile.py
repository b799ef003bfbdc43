"""Profile `core`: the keywords that every provider and every reader understands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolgen.compiler.resolve import keywords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.resolve.schemas import Bundle


def check_profile(bundle: Bundle, span: Span, sink: Diagnostics) -> None:
    """Report every keyword outside the profile, by its path. Types are looked into where they are used."""
    for pointer, keyword in outside_core(bundle.json, bundle.json, [], frozenset()):
        place = "".join(f".{part}" if isinstance(part, str) else f"[{part}]" for part in pointer)
        sink.report(
            "TG210",
            bundle.span([*pointer, keyword], span),
            f"`{keyword}` at `${place}` is outside profile `core`",
            fix='say it with object, array, scalars, enum, required and bounds, or build with `profile = "full"`',
        )


def outside_core(
    schema: Any, root: Any, pointer: list[str | int], inside: frozenset[str]
) -> Iterator[tuple[list[str | int], str]]:
    """Paths and keywords that profile `core` does not know. References to local types are put in place first."""
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    for prefix in ("#/$defs/", "#/definitions/"):
        if isinstance(reference, str) and reference.startswith(prefix) and reference not in inside:
            target = root.get(prefix[2:-1], {}).get(reference[len(prefix) :])
            yield from outside_core(target, root, pointer, inside | {reference})
            schema = {key: value for key, value in schema.items() if key != "$ref"}
    for key, value in schema.items():
        if key in ("$defs", "definitions") and not pointer:
            continue
        if (key not in keywords.CORE and not key.startswith("x-")) or (
            key == "additionalProperties" and value is not False and not isinstance(value, bool)
        ):
            yield pointer, key
        elif key == "items":
            yield from outside_core(value, root, [*pointer, key], inside)
        elif key == "properties" and isinstance(value, dict):
            for name, inner in value.items():
                yield from outside_core(inner, root, [*pointer, key, name], inside)
