"""Type checkers: mypy strict, pyright strict and ty over one folder, without the project's own configuration."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.project.checkout import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_MYPY_INI: Final = """\
[mypy]
strict = True
python_version = 3.11
explicit_package_bases = True
namespace_packages = True
enable_error_code = ignore-without-code, redundant-expr, truthy-bool, possibly-undefined

[mypy-toolgen.*]
follow_imports = silent
"""
"""The options of pyproject.toml: the cache of `make lint` has only modules that were checked with the same ones."""

_TY_LINE: Final = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<message>\w+\[.*)")


@dataclass(frozen=True, order=True)
class Finding:
    """One error. `file` is relative to the folder, with `/`; lines count from 1."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def mypy(folder: Path, cache: Path | None = None) -> list[Finding]:
    """Run `mypy --strict`. Several folders can share a cache, which then contains libraries and toolgen."""
    (folder / "mypy.ini").write_text(_MYPY_INI, encoding="utf-8")
    options = ("--output=json", f"--cache-dir={cache or '.mypy_cache'}")
    output = _run(folder, "mypy", *options, ".", MYPYPATH=str(ROOT))
    found = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return sorted(Finding(each["file"], each["line"], each["message"]) for each in found if each["severity"] == "error")


def pyright(folder: Path) -> list[Finding]:
    """Run pyright in strict mode."""
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.11", "extraPaths": [str(ROOT)], "include": ["."]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    output = _run(folder, "pyright", "--outputjson", "--pythonpath", sys.executable)
    root = folder.resolve()
    return sorted(
        Finding(_relative(each["file"], root), each["range"]["start"]["line"] + 1, each["message"])
        for each in json.loads(output)["generalDiagnostics"]
    )


def ty(folder: Path) -> list[Finding]:
    """Run ty, with warnings as errors."""
    environment = (f"--python={sys.prefix}", "--python-version=3.11", f"--extra-search-path={ROOT}")
    output = _run(folder, "ty", "check", "--output-format=concise", *environment, ".")
    return sorted(Finding(match["file"], int(match["line"]), match["message"]) for match in _TY_LINE.finditer(output))


CHECKERS: Final[Mapping[str, Callable[[Path], list[Finding]]]] = {"mypy": mypy, "pyright": pyright, "ty": ty}


def _run(folder: Path, module: str, *arguments: str, **environment: str) -> str:
    """Run a checker in a folder. An exit code other than 0 (no errors) or 1 (errors) is a failure of the checker."""
    own = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", **environment}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), f"{module} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def _relative(file: str, root: Path) -> str:
    return os.path.relpath(file, root).replace(os.sep, "/")
