"""Every case is compiled, compared, imported, used, replayed, and checked by three type checkers."""

from __future__ import annotations

import json
import re
import runpy
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import CASES, Case, all_cases, differences, write
from tests.programs.type_checkers import CHECKERS, mypy
from tests.project.checkout import ROOT
from toolgen.compiler.diagnostics.codes import CODES
from toolgen.runtime.base.errors import InvalidPayload
from toolgen.runtime.codec.codec import Codec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from tests.case import Outcome
    from tests.programs.type_checkers import Finding

    Findings = Mapping[str, Future[list[Finding]]]

# One worker compiles all cases and runs each type checker once.
pytestmark = pytest.mark.xdist_group("cases")

CODE = re.compile(r"\[(TG\d{3})\]")
ELSEWHERE = {
    "TG002": "tests/unit/compiler/source/test_read.py",
    "TG601": "tests/unit/compiler/publish/test_publish.py",
    "TG602": "tests/unit/compiler/publish/test_publish.py",
    "TG603": "tests/unit/compiler/publish/test_publish.py",
    "TG604": "tests/unit/compiler/publish/test_publish.py",
    "TG605": "tests/unit/compiler/publish/test_publish.py",
    "TG606": "tests/unit/compiler/publish/test_publish.py",
    "TG607": "tests/unit/compiler/publish/test_crash.py",
    "TG608": "tests/unit/compiler/publish/test_crash.py",
    "TG610": "tests/unit/compiler/publish/test_publish.py",
    "TG609": "tests/unit/compiler/publish/test_crash.py",
    **dict.fromkeys(("TG709", "TG710", "TG711", "TG712", "TG713"), "tests/unit/compiler/project/test_settings.py"),
    **{f"TG90{number}": "tests/unit/evaluate/test_cases.py" for number in range(1, 5)},
    "TG801": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG802": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG803": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG804": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG805": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG806": "tests/unit/compiler/importers/mcp/test_importing.py",
    "TG807": "tests/unit/compiler/importers/test_update.py",
    "TG808": "tests/unit/compiler/importers/test_update.py",
    "TG809": "tests/unit/compiler/importers/test_update.py",
    "TG822": "tests/unit/compiler/importers/test_update.py",
    **{f"TG8{number}": "tests/unit/changes/test_suspicions.py" for number in range(10, 22)},
    "TG830": "tests/unit/compiler/importers/openapi/test_operations.py",
    "TG831": "tests/unit/compiler/importers/openapi/test_hostile.py",
    "TG832": "tests/unit/compiler/importers/openapi/test_operations.py",
    "TG833": "tests/unit/compiler/importers/openapi/test_hostile.py",
    "TG834": "tests/unit/compiler/importers/openapi/test_operations.py",
    "TG835": "tests/unit/compiler/importers/openapi/test_operations.py",
    "TG837": "tests/unit/compiler/importers/openapi/test_schemas.py",
    "TG839": "tests/unit/compiler/importers/openapi/test_operations.py",
    "TG836": "tests/unit/compiler/importers/openapi/test_references.py",
    "TG838": "tests/unit/compiler/importers/openapi/test_exclusions.py",
    "TG840": "tests/unit/cli/importers/test_import_python.py",
    "TG841": "tests/unit/cli/importers/test_import_python.py",
    **{f"TG84{number}": "tests/unit/compiler/importers/python/test_update.py" for number in range(2, 8)},
    "TG848": "tests/unit/compiler/importers/openapi/test_update.py",
    "TG850": "tests/unit/compiler/importers/openapi/test_update.py",
    "TG849": "tests/unit/compiler/importers/openapi/test_update.py",
}
"""Codes that no spec folder can produce, and the tests that do."""

ERROR = re.compile(r"# error(?:: (.*))?$")
"""The marker of a line in `misuse.py`, and the names in the messages of all type checkers for it."""

parametrized = pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)


@dataclass(frozen=True)
class Tree:
    """All cases as packages side by side: `cases/<case>/…`, `uses/<case>.py`, `misuses/<case>.py`."""

    folder: Path
    outcomes: Mapping[str, Outcome]


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Tree]:
    """Compile all cases and write them side by side."""
    folder = tmp_path_factory.mktemp("cases")
    cases = all_cases()
    outcomes = {case.name: case.compile() for case in cases}
    for case in selected(request.session.items) if request.config.getoption("--update-cases") else ():
        case.update(outcomes[case.name])
    for case in cases:
        write(folder / "cases" / case.name, outcomes[case.name].files)
        for name in ("use", "misuse"):
            if text := case.text(f"{name}.py"):
                write(folder / f"{name}s", {f"{case.name}.py": text.encode()})
    sys.path.insert(0, str(folder))
    yield Tree(folder, outcomes)
    sys.path.remove(str(folder))


@pytest.fixture(scope="session")
def findings(tree: Tree, mypy_cache: Path) -> Iterator[Findings]:
    """Start the type checkers, all at once."""
    checkers: dict[str, Callable[[Path], list[Finding]]] = {**CHECKERS, "mypy": partial(mypy, cache=mypy_cache)}
    with ThreadPoolExecutor() as pool:
        yield {name: pool.submit(check, tree.folder) for name, check in checkers.items()}


@parametrized
def test_generated_files_are_as_expected(case: Case, tree: Tree) -> None:
    different = differences(case.expected_files(), case.shown(tree.outcomes[case.name]))
    assert not different, f"run pytest --update-cases if this is meant:\n{different}"


@parametrized
def test_diagnostics_are_as_expected(case: Case, tree: Tree) -> None:
    assert tree.outcomes[case.name].diagnostics == case.text("diagnostics.txt")


@parametrized
def test_every_module_can_be_imported_and_defines_every_exported_name(case: Case, tree: Tree) -> None:
    for name in packages(case, tree):
        root = import_module(name)
        for found in walk_packages(root.__path__, f"{name}."):
            module = import_module(found.name)
            for offered in getattr(module, "__all__", ()):
                assert hasattr(module, offered)


@parametrized
def test_calls_are_accepted_or_refused_and_values_are_preserved(case: Case, tree: Tree) -> None:
    names = packages(case, tree)
    for call in case.calls():
        for name in names:
            codec = Codec[Any].of_package(name, call.tool, "result" if call.side == "result" else "args")
            assert verdict(codec, call.value) == (call.accept, ""), f"line {call.line} of calls.jsonl"


@pytest.mark.parametrize("case", [case for case in all_cases() if case.text("use.py")], ids=lambda case: case.name)
def test_the_package_can_be_used_as_its_example_says(case: Case, tree: Tree) -> None:
    runpy.run_path(str(tree.folder / "uses" / f"{case.name}.py"))


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_generated_code_and_its_use_have_no_type_errors(checker: str, findings: Findings) -> None:
    found = [finding for finding in findings[checker].result() if not finding.file.startswith("misuses/")]
    assert not found, "\n".join(map(str, found))


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
@pytest.mark.parametrize("case", [case for case in all_cases() if case.text("misuse.py")], ids=lambda case: case.name)
def test_misuse_is_a_type_error_on_every_marked_line(case: Case, checker: str, findings: Findings) -> None:
    lines = case.text("misuse.py").splitlines()
    marked = {number: (match[1] or "").split() for number, line in enumerate(lines, 1) if (match := ERROR.search(line))}
    found = [finding for finding in findings[checker].result() if finding.file == f"misuses/{case.name}.py"]
    messages = {finding.line: finding.message for finding in found}
    assert messages.keys() == marked.keys(), "\n".join(map(str, found))
    for number, names in marked.items():
        assert all(name in messages[number] for name in names), f"line {number}: {messages[number]}"


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_goa_36_a_plain_string_is_not_an_ident(checker: str, findings: Findings) -> None:
    lines = Case(CASES / "handlers").text("misuse.py").splitlines()
    bare = {number for number, line in enumerate(lines, 1) if 'runtime.tool_spec("' in line}
    assert bare
    used = Case(CASES / "handlers").text("use.py")
    assert "runtime.tool_spec(orders.REFUND)" in used, "the same lookup with the constant"
    found = findings[checker].result()
    assert bare <= {finding.line for finding in found if finding.file == "misuses/handlers.py"}
    assert [finding for finding in found if finding.file == "uses/handlers.py"] == []


@parametrized
def test_a_case_has_a_description(case: Case) -> None:
    files = [path for path in case.folder.rglob("*") if path.suffix in (".yaml", ".toml") and path.stat().st_size]
    texts = {path.name: path.read_text("utf-8", "replace") for path in files}
    assert [name for name, text in texts.items() if not text.startswith("# ")] == []


def test_every_diagnostic_has_a_case_or_another_test() -> None:
    shown = {code for case in all_cases() for code in CODE.findall(case.text("diagnostics.txt"))}
    assert set(CODES) - shown - set(ELSEWHERE) == set()
    for code, file in ELSEWHERE.items():
        assert code in (ROOT / file).read_text(encoding="utf-8"), f"{file} does not test {code}"


def test_the_folder_contains_only_cases() -> None:
    assert [path.name for path in CASES.iterdir() if not path.is_dir()] == []


def selected(items: list[pytest.Item]) -> list[Case]:
    """Return the cases of the selected tests."""
    found = {
        item.callspec.params.get("case")
        for item in items
        if isinstance(item, pytest.Function) and hasattr(item, "callspec")
    }
    return [case for case in all_cases() if case in found]


def packages(case: Case, tree: Tree) -> list[str]:
    """Return the import names of the packages of a case."""
    below = (package.replace("/", ".") for package in tree.outcomes[case.name].packages)
    return [".".join(filter(None, ("cases", case.name, package))) for package in below]


def verdict(codec: Codec[Any], value: Any) -> tuple[bool, str]:
    """Return whether a codec accepts a value, and the value after decoding and encoding if that differs."""
    try:
        typed = codec.decode(json.dumps(value))
    except InvalidPayload:
        return False, ""
    text = codec.encode(typed).decode()
    return True, "" if same(json.loads(text), value) else text


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, but not true."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return one == other and isinstance(one, bool) == isinstance(other, bool)
