"""Python names: conversion of names of specs for generated code, and detection of conflicts."""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.resolve.standard_library import STANDARD_LIBRARY
from toolgen.spec.wire_names import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.compiler.diagnostics import Diagnostics, Span

KEYWORDS: Final = frozenset(keyword.kwlist)
"""Reserved names of methods; builtins are allowed."""

_KEYWORDS: Final = KEYWORDS | frozenset(keyword.softkwlist)
_BUILTINS: Final = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_MODEL: Final = frozenset(name for name in dir(BaseModel) if not name.startswith("_")) | {"model_config"}

_ANNOTATIONS: Final = frozenset({"Annotated", "Field", "JsonValue", "Literal"})
_CALLED: Final = frozenset({"build_call", "codecs", "idents", "keep_unset", "rebuilt"})

RESERVED_FIELDS: Final = _KEYWORDS | _BUILTINS | _MODEL | _ANNOTATIONS | _CALLED
"""Reserved names of fields: they have another meaning in a model, in its annotations, or as parameters of generated
functions.
"""

RESERVED_FUNCTIONS: Final = _KEYWORDS | _BUILTINS
RESERVED_CONSTANTS: Final = frozenset({"ALL", "TYPE_CHECKING"})
RESERVED_PACKAGES: Final = _KEYWORDS | _BUILTINS | STANDARD_LIBRARY
RESERVED_MODULES: Final = RESERVED_PACKAGES | {
    "shared", "shared_types", "methods", "models", "idents", "calls", "dispatch", "transforms",
}  # fmt: skip
RESERVED_CLASSES: Final = _KEYWORDS | _BUILTINS | {
    "Absent", "Annotated", "Any", "Awaitable", "ClosedModel", "Codec", "Field", "Final", "FormattedDate",
    "FormattedDateTime", "FormattedTime", "FormattedUUID", "Handlers", "Ident",
    "JsonValue", "Literal", "OpenModel", "Protocol", "ServiceMethods", "ToolCallMeta", "ToolExecutor", "ToolRequest",
    "ToolsetRegistration", "TypeAlias",
}  # fmt: skip


def snake(text: str, reserved: frozenset[str] = frozenset()) -> str:
    """Convert a name to a module or function name: `createIssue` -> `create_issue`."""
    return _free("_".join(_parts(text)).lower(), reserved)


def constant(text: str) -> str:
    """Convert a name to a constant name: `createIssue` -> `CREATE_ISSUE`."""
    return _free("_".join(_parts(text)).upper(), RESERVED_CONSTANTS)


def pascal(text: str) -> str:
    """Convert a name to a class name: `createIssue` -> `CreateIssue`."""
    return "".join(word[0].upper() + word[1:] for word in _parts(text))


def attribute(wire: str) -> str:
    """Convert a JSON name to an attribute name.

    Identifiers are unchanged: `orderId` -> `orderId`, `from` -> `from_`.
    """
    plain = unicodedata.normalize("NFKD", wire).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_") or _digest(wire)
    return _free(f"n{name}" if name[0].isdigit() else name, RESERVED_FIELDS)


def package_of(toolset: str) -> tuple[str, ...]:
    """Return the path of a toolset in the generated package: its owner, `tools`, its last word."""
    *owner, last = (snake(part, RESERVED_PACKAGES) for part in toolset.split("."))
    return (*owner, "tools", last)


def is_attribute(name: str) -> bool:
    """Whether a name from a spec can be an attribute of a generated model."""
    return name.isascii() and name.isidentifier() and not name.startswith("_") and name not in RESERVED_FIELDS


def _parts(text: str) -> list[str]:
    """Return the words of a name, at least one, not starting with a digit."""
    first, *rest = words(text) or [_digest(text)]
    return [f"n{first}" if first[0].isdigit() else first, *rest]


def _digest(text: str) -> str:
    """Return a name for a text without usable characters."""
    return f"x{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _free(name: str, reserved: frozenset[str]) -> str:
    return f"{name}_" if name in reserved else name


def distinguished(name: str, path: str) -> str:
    """Return a generated class name with a hash of the place of the class, for a name that is taken."""
    return f"{name}_{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


class Namespace:
    """Names that must be unique, with their sources."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, Span]] = {}

    def claim(self, names: Iterable[str], source: str, span: Span, sink: Diagnostics, *, fix: str) -> None:
        """Claim names for `source`, a short description; the first that is taken is reported, at both places."""
        for name in names:
            first, place = self._taken.setdefault(name, (source, span))
            if (first, place) != (source, span):
                sink.report(
                    "TG302",
                    span,
                    f"{source} and {first} would both be `{name}` in the generated code",
                    related=[Related(place, f"{first} is here")],
                    fix=fix,
                )
                return
