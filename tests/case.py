"""Case: one folder of `tests/cases`, the output of its specs, and the expected output.

specs/              the input; its first line describes the case
toolgen.toml        the configuration, if it is not the default
expected/           the package, without its lock; with several targets, a folder for each. Where no `py.typed` is in
                    it, it is not the whole package: the modules of its types, and the files that the case is about
diagnostics.txt     everything that the build reports, as rendered
calls.jsonl         `{"tool", "arguments" or "result", "accept"}`: JSON values, and whether the codecs take them
use.py              code that uses the package as `cases.<case>`: it runs and type-checks
misuse.py           code in which just the lines marked `# error` are errors, for every type checker; the messages
                    have the names that stand after a mark, as in `# error: RefundArgs`
"""

from __future__ import annotations

import difflib
import json
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.project.checkout import ROOT
from toolgen.compiler.compile import compile_specs, generate
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.render import render_text
from toolgen.compiler.project.config import ConfigError, load_config

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from toolgen.compiler.diagnostics import Diagnostic

CASES = ROOT / "tests" / "cases"
PAIRS = "diff"
"""The folder of pairs for `toolgen diff`, which are no cases."""


@dataclass(frozen=True)
class Outcome:
    """The output of a case.

    `packages` are folders below `expected/`, each a package; none if all targets have errors.
    """

    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    packages: tuple[str, ...] = ()
    diagnostics: str = ""


@dataclass(frozen=True)
class Call:
    """One line of `calls.jsonl`. `side` is `args` or `result`."""

    line: int
    tool: str
    side: str
    value: Any
    accept: bool


@dataclass(frozen=True)
class Case:
    """One folder of `tests/cases`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def expected(self) -> Path:
        return self.folder / "expected"

    def text(self, name: str) -> str:
        """Return the text of one of its files; empty if there is none."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def shown(self, outcome: Outcome) -> dict[str, bytes]:
        """Select the generated files that `expected/` contains."""
        expected = self.expected_files()
        if not expected or any(path.endswith("py.typed") for path in expected):
            return dict(outcome.files)
        return {path: text for path, text in outcome.files.items() if path in expected or _is_of_types(path)}

    def expected_files(self) -> dict[str, bytes]:
        """Return the files in `expected/`: path to content."""
        found = sorted(path for path in self.expected.rglob("*") if path.is_file())
        return {path.relative_to(self.expected).as_posix(): path.read_bytes() for path in found}

    def calls(self) -> Iterator[Call]:
        """Read `calls.jsonl`."""
        for number, text in enumerate(self.text("calls.jsonl").splitlines(), 1):
            line = json.loads(text)
            side = "result" if "result" in line else "args"
            value = line["result"] if side == "result" else line["arguments"]
            yield Call(number, line["tool"], side, value, line["accept"])

    def compile(self) -> Outcome:
        """Compile its specs, for every target."""
        try:
            targets = load_config(self.folder).targets
        except ConfigError as error:
            return Outcome(diagnostics=self._rendered(error.diagnostics))
        files: dict[str, bytes] = {}
        packages: list[str] = []
        reported: list[Diagnostic] = []
        for target in targets:
            sink = Diagnostics()
            compiled = compile_specs(self.folder, target, sink)
            reported += sink
            if not sink.has_errors:
                package = target.out if len(targets) > 1 else ""
                packages.append(package)
                prefix = f"{package}/" if package else ""
                made = generate(compiled.catalog, export=target.export)
                files |= {f"{prefix}{path}": content for path, content in made.items()}
        return Outcome(files, tuple(packages), self._rendered(reported))

    def update(self, outcome: Outcome) -> None:
        """Replace the expected output by the actual output."""
        shown = self.shown(outcome)
        shutil.rmtree(self.expected, ignore_errors=True)
        write(self.expected, shown)
        diagnostics = self.folder / "diagnostics.txt"
        if outcome.diagnostics:
            diagnostics.write_text(outcome.diagnostics, encoding="utf-8")
        else:
            diagnostics.unlink(missing_ok=True)

    def _rendered(self, diagnostics: Iterable[Diagnostic]) -> str:
        places = [self.folder / "toolgen.toml", *(self.folder / "specs").rglob("*")]
        files = [path for path in places if path.is_file()]
        texts = {path.relative_to(self.folder).as_posix(): path.read_text("utf-8", "replace") for path in files}
        return render_text(diagnostics, texts, color=False)


def _is_of_types(path: str) -> bool:
    *folders, name = path.split("/")
    return folders[-2:-1] == ["tools"] and name not in ("__init__.py", "transforms.py")


def all_cases() -> list[Case]:
    """Return all cases, sorted by name."""
    return [Case(folder) for folder in sorted(CASES.iterdir()) if folder.is_dir() and folder.name != PAIRS]


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder, by path."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def differences(expected: Mapping[str, bytes], found: Mapping[str, bytes]) -> str:
    """Return the unified diff of two trees; empty if they are equal."""
    return "".join(_difference(path, expected.get(path), found.get(path)) for path in sorted({*expected, *found}))


def _difference(path: str, expected: bytes | None, found: bytes | None) -> str:
    if expected == found:
        return ""
    if not expected and not found:
        return f"{path}: {'missing' if found is None else 'new'}, and empty\n"
    before, after = ((content or b"").decode().splitlines(keepends=True) for content in (expected, found))
    return "".join(difflib.unified_diff(before, after, f"expected/{path}", path))
