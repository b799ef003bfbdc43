"""History: the variables of earlier snippets and their types, for the type checker.

Earlier code is not checked again, so snippets do not make later ones slower to check, nor cause errors in them.
"""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING, Final

from toolgen.llm.sandbox.sandbox_code import UNCHECKED
from toolgen.llm.sandbox.type_check_errors import undefined_name
from toolgen.providers.stubs.stub import BUILTINS, CHECKED_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolgen.llm.sandbox.checker import TypeCheckError

_REVEALED: Final = re.compile(r"Revealed type: `(.*)`", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TYPE: Final = re.compile(
    r"""(?: [A-Za-z_]\w*+ | "[\w .,:;/@+-]*" | -?\d++ | [\[\],|\x20*] )*+""", re.VERBOSE | re.ASCII
)
"""Types that are written as the checker shows them. It marks widened types with a star."""
_APART: Final = re.compile(
    r"""\#[^\n]* | ("{3}|'{3}|"|') (?: \\. | (?!\1)[^\\] )*+ (?: \1 | \Z ) | \.\s*\w+""", re.DOTALL | re.VERBOSE
)
"""Comments, strings and attributes, which are not names of variables."""

_KNOWN: Final = frozenset({
    "Any", "False", "Literal", "None", "True", "bool", "bytes", "dict", "float", "frozenset", "int", "list", "set",
    "str", "tuple",
})  # fmt: skip
_MOST_ASKED: Final = 300
"""Maximum names of one snippet whose types are queried; other variables are `Any`."""

_MOST_KEPT: Final = 10_000
"""Maximum variables of a conversation; the oldest are dropped first."""

_LONGEST: Final = 500
"""Maximum characters of a type; a longer one is `Any`."""


def names_in(code: str) -> list[str]:
    """Return the names in code and in its strings, which may be executed as code; in order, each once."""
    return [word for word in dict.fromkeys(_WORD.findall(code)) if not keyword.iskeyword(word)]


def words_of(code: str) -> list[str]:
    """The names in code that may be those of variables."""
    return names_in(_APART.sub(" ", code))


class Question:
    """Lines that query the types of names from the checker, appended to the code that binds them."""

    def __init__(self, words: Iterable[str], prefix: str) -> None:
        self.words = [word for word in words if word not in CHECKED_NAMES]
        self._asked, self._others = self.words[:_MOST_ASKED], self.words[_MOST_ASKED:]
        self.text = "".join(f"\n{prefix}reveal({name})" for name in self._asked)

    def answers(self, errors: Iterable[TypeCheckError], last_line: int, types: Iterable[str]) -> dict[str, str]:
        """Return the type of each bound name as an annotation; `last_line` is the last line of the code."""
        found: dict[str, str] = {}
        unbound: set[str] = set()
        for each in errors:
            name = self._asked[each.line - last_line - 1] if each.line > last_line else ""
            if name and undefined_name(each):
                unbound.add(name)
            elif name and (revealed := _REVEALED.fullmatch(each.message)):
                found[name] = revealed[1]
        known = _KNOWN | set(types)
        return {
            **self.unanswered(self._others),
            **{
                name: _written(text, known)
                for name, text in found.items()
                if name not in unbound and not _is_builtin(name, text)
            },
        }

    def unanswered(self, names: Iterable[str] | None = None) -> dict[str, str]:
        """Return all names that may be bound, with the type `Any`."""
        every = [*self._asked, *self._others] if names is None else names
        return {name: "Any" for name in every if name not in BUILTINS}


class History:
    """The variables of a conversation, and their types."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}

    def declarations(self, words: Iterable[str], prefix: str) -> tuple[str, set[str]]:
        """Return code for the checker that binds the variables among some words, and the names in their types.

        They are bound, not declared, so that code may change their types.
        """
        used = {word: self._types[word] for word in words if word in self._types}
        numbers = {text: number for number, text in enumerate(dict.fromkeys(used.values()))}
        lines = [
            *(f"def {prefix}{number}() -> {text}: ...{UNCHECKED}" for text, number in numbers.items()),
            *(f"{name} = {prefix}{numbers[text]}()" for name, text in used.items()),
        ]
        return "".join(f"{line}\n" for line in lines), {word for text in numbers for word in _WORD.findall(text)}

    def learn(self, types: Mapping[str, str]) -> None:
        """Add the variables that a snippet bound."""
        for name, text in types.items():
            self._types.pop(name, None)
            self._types[name] = text
        while len(self._types) > _MOST_KEPT:
            del self._types[next(iter(self._types))]

    def clear(self) -> None:
        """Drop all variables."""
        self._types.clear()


def _is_builtin(name: str, text: str) -> bool:
    """Whether a name still refers to the builtin."""
    return name in BUILTINS and text.startswith(("def ", "<class ", "Overload[", "type["))


def _written(text: str, known: frozenset[str]) -> str:
    """Return a type of the checker as an annotation; `Any` if it has no such form, or uses unknown names."""
    found = _TYPE.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return "Any"
    plain = re.sub(r"\bLiteralString\b", "str", re.sub(r"\bUnknown\b", "Any", text.replace("*", "")))
    names = _WORD.findall(re.sub(r'"[^"]*"', "", plain))
    return plain if all(name in known for name in names) else "Any"
