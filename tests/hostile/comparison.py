"""Compare the packages of a hostile and a plain spec: equal except for the texts and the names derived from them."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.hostile.page import skeleton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

PLAIN: Final = re.compile(r"plain text (\d{3})é?|[Pp]lainName(\d{3})")
"""A plain text or name, as in the spec. The number identifies the hostile text that it replaces."""

MADE: Final = re.compile(r"plain_?(text|name)_?\d{3}", re.IGNORECASE)
"""The part that Python names derived from one contain."""

LOOSE: Final = (ast.ImportFrom, ast.alias, ast.ClassDef)
"""Sorted by name, so that the order differs if a text changes the name."""

WORD: Final = re.compile(r"\w+")


def assert_alike(hostile: Mapping[str, str], plain: Mapping[str, str], texts: Sequence[str]) -> None:
    """Assert that two packages (files by path) differ only in `texts`."""
    known = {word for text in (*plain, *plain.values()) for word in WORD.findall(text)}
    as_it_is = Reading(str, lambda word: word not in known)
    as_hostile = Reading(
        lambda text: PLAIN.sub(lambda found: texts[int(found[1] or found[2])], text),
        lambda word: MADE.search(word) is not None,
    )
    assert as_it_is.modules(hostile.items() - plain.items()) == as_hostile.modules(plain.items() - hostile.items())
    assert as_it_is.catalog(hostile["catalog.json"]) == as_hostile.catalog(plain["catalog.json"])
    assert Counter(skeleton(hostile["TOOLS.md"])) == Counter(skeleton(plain["TOOLS.md"]))


@dataclass(frozen=True)
class Reading:
    """A package as comparable data: with replaced texts, and without the names derived from texts."""

    text: Callable[[str], str]
    is_made: Callable[[str], bool]

    def name(self, dotted: str) -> str:
        """A Python name, a module or a path."""
        return WORD.sub(lambda word: "MADE" if self.is_made(word[0]) else word[0], dotted)

    def data(self, value: Any) -> Any:
        """A JSON value."""
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.data(item) for item in value]
            case dict():
                return {self.text(key): self.data(item) for key, item in value.items()}
            case _:
                return value

    def json(self, text: str) -> Any:
        """A JSON text."""
        return self.data(json.loads(text))

    def catalog(self, text: str) -> Any:
        """A catalog."""
        catalog = json.loads(text)
        for section in ("toolsets", "agents", "tools", "catalogs"):
            for record in catalog[section].values():
                record.update({key: self.name(record[key]) for key in record.keys() & PYTHON})
        return _without_empty(self.data(catalog))

    def modules(self, files: Iterable[tuple[str, str]]) -> Counter[str]:
        """Modules, by path, without docstrings, and in an order that does not depend on names."""
        modules = ((path, text) for path, text in files if path.endswith(".py"))
        return Counter(f"{self.name(path)} {self.outline(ast.parse(text))}" for path, text in modules)

    def outline(self, node: Any) -> str:
        """Convert a node of a syntax tree, or its content."""
        match node:
            case ast.Expr(ast.Constant(str())):
                return ""
            case ast.Constant(str() as text):
                return repr(self.text(text))
            case ast.Constant(value):
                return repr(value)
            case ast.Call(ast.Name("offer"), [_, package, ast.Dict() as table]):
                entries = [
                    (self.name(module), sorted(self.name(names).split()))
                    for module, names in ast.literal_eval(table).items()
                ]
                return f"offer {self.outline(package)} {sorted(entries)}"
            case ast.ImportFrom(module, names, level) if len(names) > 1:  # formatting splits these by their length
                return self.outline([ast.ImportFrom(module, [name], level) for name in names])[1:-1]
            case ast.AST():
                return f"{type(node).__name__}({', '.join(self.outline(part) for _, part in ast.iter_fields(node))})"
            case list():
                loose = sorted(self.outline(part) for part in node if isinstance(part, LOOSE))
                rest = [self.outline(part) for part in node if not isinstance(part, LOOSE)]
                return f"[{', '.join(filter(None, (*loose, *rest)))}]"
            case str():
                return self.name(node)
            case _:
                return repr(node)


def _without_empty(value: Any) -> Any:
    """A catalog leaves out empty values."""
    if isinstance(value, dict):
        parts = {key: _without_empty(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in ("", {})}
    return [_without_empty(part) for part in value] if isinstance(value, list) else value


PYTHON: Final = frozenset({"package", "args_type", "result_type", "module"})
"""The keys of a catalog that contain Python names."""
