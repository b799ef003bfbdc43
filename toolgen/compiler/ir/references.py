"""References in the args of actions: `$entry`, `$args` and `$args.name`, alone or in lists; `$$` is a literal `$`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ENTRY: Final = "$entry"
ARGS: Final = "$args"
ARG: Final = "$args."


def references_in(value: Any) -> Iterator[str]:
    """The references that a value is made of."""
    if isinstance(value, list):
        for item in value:
            yield from references_in(item)
    elif isinstance(value, str) and (value in (ENTRY, ARGS) or value.startswith(ARG)):
        yield value


def args_read(value: Any) -> tuple[str, ...]:
    """The caller's args that a value is made of, by name."""
    return tuple(reference.removeprefix(ARG) for reference in references_in(value) if reference.startswith(ARG))


def takes_all(value: Any) -> bool:
    """Whether a value is made of all of the caller's args."""
    return ARGS in references_in(value)


def literal_of(value: str) -> str:
    """The text that a literal stands for."""
    return value[1:] if value.startswith("$$") else value
