"""Expressions: each one of toolgen takes time in proportion to a text, also to one that nearly matches everywhere."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import toolgen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

LENGTH: Final = 10_000
MOST_SECONDS: Final = 0.5
"""Of processor time, for a text of this length: linear work takes a thousandth of it, quadratic five times it."""

SEARCHING: Final = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
"""Methods that look for a match everywhere in a text; the others begin at one place."""

ALL: Final = SEARCHING | {"match", "fullmatch"}

BEGUN: Final = {"toolgen.spec.tag_pattern._CLASS"}
"""Expressions that are given to a function, which begins them at one place."""

CHARACTERS: Final = " \ta0A_-./`\"'\\\n%{}[]<>&=:;,#$@~(*+é"


class OutOfTimeError(Exception):
    pass


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError


@cache
def patterns() -> dict[str, re.Pattern[str]]:
    """Return the expressions of all modules, by the module and the name."""
    found: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(toolgen.__path__, "toolgen."):
        if not {"__main__", "generated", "example"} & set(module.name.split(".")):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    found.setdefault(f"{module.name}.{name}", value)
    return found


@cache
def methods(module: str) -> dict[str, set[str]]:
    """Return how each name in a module is used; all methods are, of one that is given away."""
    tree = ast.parse(Path(str(importlib.import_module(module).__file__)).read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    begun = set[int]()
    for node in ast.walk(tree):  # what has an attribute comes before it
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            begun.add(id(node.value))
            found.setdefault(node.value.id, set()).add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in begun:
            found.setdefault(node.id, set()).update(ALL)
    return found


def characters(pattern: re.Pattern[str]) -> list[str]:
    """Return the first characters that an expression names."""
    plain = re.sub(r"\\.|\(\?[a-zA-Z:<=!]*|[\[\](){}|*+?^]", "", pattern.pattern)
    return [char for char in dict.fromkeys(plain) if char.isprintable()][:14]


def pumps(pattern: re.Pattern[str], *, pairs: bool) -> Iterator[tuple[str, str]]:
    """Yield what texts begin with, and what they repeat: characters of the expression, alone and two together."""
    own = characters(pattern)
    words = [*dict.fromkeys(re.findall("[A-Za-z]{2,}", pattern.pattern))][:8]
    for before, repeated in product(["", *own[:8]], dict.fromkeys([*CHARACTERS, *own])):
        if not before or pairs:
            yield before, repeated
    together = map("".join, product(dict.fromkeys([*' a0`\\"-_.', *own]), repeat=2))
    yield from (("", word) for word in [*words, *(together if pairs else ())])


def ends(pattern: re.Pattern[str], *, pairs: bool) -> Iterator[str]:
    """Yield what texts end with: nothing that matches, nothing at all, and a character of the expression."""
    yield from ("\0!", "")
    yield from dict.fromkeys(["\\", *characters(pattern)[:8]]) if pairs else ()


def uses(name: str, pattern: re.Pattern[str]) -> Iterator[Callable[[str], Any]]:
    module, _, own = name.rpartition(".")
    used = methods(module).get(own, set()) if own.startswith("_") else ALL
    if used & SEARCHING and name not in BEGUN:
        yield partial(pattern.sub, "")
    if "match" in used:
        yield pattern.match
    if "fullmatch" in used:
        yield pattern.fullmatch


def check(name: str, *, pairs: bool) -> None:
    pattern = patterns()[name]
    before = signal.signal(signal.SIGVTALRM, _end)
    try:
        tried = product(pumps(pattern, pairs=pairs), ends(pattern, pairs=pairs), uses(name, pattern))
        for (beginning, repeated), end, use in tried:
            text = (beginning + repeated * LENGTH)[:LENGTH] + end
            signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
            try:
                use(text)
            except OutOfTimeError:
                pytest.fail(
                    f"{pattern.pattern!r} takes more than {MOST_SECONDS} s for {beginning + repeated * 3!r}…{end!r}"
                )
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_the_check_finds_what_is_not_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(patterns(), "toolgen.SLOW", re.compile(r"[ \t]*([^`]*?)[ \t]*x"))
    with pytest.raises(pytest.fail.Exception, match="takes more than"):
        check("toolgen.SLOW", pairs=False)


PACKAGES: Final = sorted(each.name for each in pkgutil.iter_modules(toolgen.__path__) if each.ispkg)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.variants(8)
def test_an_expression_takes_time_in_proportion_to_a_text(package: str) -> None:
    for name in of_package(package):
        check(name, pairs=False)


@pytest.mark.long
@pytest.mark.parametrize("package", PACKAGES)
def test_an_expression_takes_time_in_proportion_to_more_texts(package: str) -> None:
    for name in of_package(package):
        check(name, pairs=True)


def of_package(package: str) -> list[str]:
    return [name for name in patterns() if name.split(".")[1] == package]
