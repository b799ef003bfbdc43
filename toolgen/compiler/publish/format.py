"""Format: one pass of ruff over generated Python, with a fixed configuration."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from toolgen.contract.extras import MissingExtra
from toolgen.spec.writing import write_new

_OPTIONS: Final = (
    "format",
    "--isolated",
    "--no-cache",
    "--no-respect-gitignore",
    "--line-length=120",
    "--target-version=py311",
)


MEMORY: Final = "/dev/shm"  # noqa: S108  # a private folder is created in it
"""Linux's file system in memory: five times as fast as a disk for a thousand files."""


class FormatterMissing(Exception):
    """ruff is not installed; the message says how to install it."""


class FormatError(Exception):
    """ruff rejected generated code: a defect of toolgen. The message is that of ruff, with the generated paths."""


def format_python(files: dict[str, str]) -> dict[str, str]:
    """Format every `.py` file, keyed by path; other files are returned unchanged.

    The files are taken out of `files`, so that no text is in memory twice.

    Line length is 120 and the target Python 3.11, independent of configuration in the working directory, above it, in
    the user's home, or in the environment. Raises FormatterMissing and FormatError.
    """
    order = [*files]
    sources = [path for path in order if path.endswith(".py")]
    if not sources:
        return {path: files.pop(path) for path in order}
    ruff = _ruff()
    with TemporaryDirectory(prefix="toolgen-", dir=_scratch(files)) as folder:
        # Numbers as names: ruff's default excludes would skip a generated path such as `build/x.py`.
        places = [Path(folder, f"generated_{number}.py") for number in range(len(sources))]
        for path, place in zip(sources, places, strict=True):
            write_new(place, _turned(files.pop(path), "off", "on").encode())
        _run(ruff, folder, sources)
        for path, place in zip(sources, places, strict=True):
            files[path] = _turned(place.read_bytes().decode(), "on", "off")
    return {path: files.pop(path) for path in order}


def _turned(text: str, before: str, after: str) -> str:
    """Turn the comment below the header of a file that keeps formatters off: this one is to format it."""
    head, line, mark = text.partition(f"\n# fmt: {before}\n")
    return f"{head}\n# fmt: {after}\n{mark}" if line and "\n" not in head else text


def _scratch(files: Mapping[str, str]) -> str | None:
    """Return a folder in memory if there is room, else None, which means the default."""
    try:
        room = shutil.disk_usage(MEMORY).free
    except OSError:
        return None
    enough = 8 * sum(map(len, files.values())) + 4096 * 2 * len(files)
    return MEMORY if room > enough and os.access(MEMORY, os.W_OK | os.X_OK) else None


def _run(ruff: str, folder: str, sources: list[str]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUFF_")}
    command = [ruff, *_OPTIONS, "."]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)  # noqa: S603  # a fixed program
    if done.returncode != 0:
        message = (done.stderr or done.stdout).decode(errors="replace").strip()
        named = re.sub(r"generated_(\d+)\.py", lambda found: sources[int(found[1])], message)
        raise FormatError(f"ruff rejected a generated file:\n{named}")


def _ruff() -> str:
    try:
        return str(import_module("ruff.__main__").find_ruff_bin())
    except (ImportError, FileNotFoundError) as error:
        raise FormatterMissing(str(MissingExtra("ruff is missing", "compiler"))) from error
