"""CODE, checked against type checkers: code that uses an old package fails with the new one if a CODE rule says so.

For each pair, a consumer that uses every name of the old package is checked with both versions.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import write
from tests.programs.type_checkers import CHECKERS, mypy
from tests.unit.authoring.diff.consumer import consumer
from tests.unit.authoring.diff.pairs import all_pairs, compare_pairs
from toolgen.authoring.diff.sides import working_tree
from toolgen.changes.python_api import Places, compare_apis, read_api, read_apis
from toolgen.changes.rules import Category, Level
from toolgen.compiler.project.config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.programs.type_checkers import Finding
    from tests.unit.authoring.diff.pairs import Pair

CHECKED = ("mypy", "pyright")
SIDES = ("before", "after")
NOWHERE = Places({}, {})


def check(pairs: Sequence[Pair], folder: Path, cache: Path, checker: str) -> None:
    """Assert that a checker finds errors just in the consumers of pairs with breaking changes of CODE."""
    changes = compare_pairs(pairs, folder / "specs")
    homes = {pair: f"{pair.file}_{pair.number}" if pair.kind == "files" else "together" for pair in pairs}
    for home in sorted(set(homes.values())):
        of_home = [pair for pair in pairs if homes[pair] == home]
        sources = {side: sources_of(folder / "specs" / home / side) for side in SIDES}
        api = read_api(sources["before"])
        whole = compare_apis(api, read_api(sources["after"]), (NOWHERE, NOWHERE))
        assert list(compare_apis(*read_apis(*sources.values()), (NOWHERE, NOWHERE))) == list(whole)
        for pair in of_home:
            packages = [name for name in api.packages if pair.kind == "files" or is_of(name, pair)]
            for side in SIDES:
                text = consumer(api, f"{side}.packages.{home}", packages)
                write(folder / "checked" / side, {f"uses/{pair.file}_{pair.number}.py": text.encode()})
        for side in SIDES:
            package = folder / "checked" / side / "packages" / home
            write(package, {path: text.encode() for path, text in sources[side].items()})
    checkers: dict[str, Callable[[Path], list[Finding]]] = {**CHECKERS, "mypy": partial(mypy, cache=cache)}
    found = checkers[checker](folder / "checked")
    assert [each for each in found if not each.file.startswith("after/uses/")] == []
    failing: dict[str, list[str]] = {}
    for each in found:
        failing.setdefault(each.file.removeprefix("after/uses/").removesuffix(".py"), []).append(str(each))
    wrong = {
        f"{pair.file}_{pair.number} {pair.name}": [
            *(each.change.summary() for each in changes[pair] if each.change.category is Category.CODE),
            *failing.get(f"{pair.file}_{pair.number}", ()),
        ]
        for pair in pairs
        if (f"{pair.file}_{pair.number}" in failing) != breaks_code(changes[pair])
    }
    assert wrong == {}


def breaks_code(changes: Sequence[Any]) -> bool:
    return any(each.change.category is Category.CODE and each.change.level is Level.BREAKING for each in changes)


def sources_of(folder: Path) -> Mapping[str, str]:
    (package,) = working_tree(Config(folder)).packages.values()
    return package.sources(package.document["toolsets"])


def is_of(package: str, pair: Pair) -> bool:
    return package.replace("_.", ".").endswith(pair.toolset.rpartition(".")[2]) and pair.file in package


@pytest.mark.slow
def test_mypy_agrees_about_pairs_of_code(tmp_path: Path, mypy_cache: Path) -> None:
    check([pair for pair in all_pairs() if pair.file == "code"], tmp_path, mypy_cache, "mypy")


@pytest.mark.long
@pytest.mark.parametrize("checker", CHECKED)
def test_a_checker_agrees_about_all_pairs(checker: str, tmp_path: Path, mypy_cache: Path) -> None:
    check(all_pairs(), tmp_path, mypy_cache, checker)
