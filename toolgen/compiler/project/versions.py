"""Versions of installed libraries. Uses only the standard library, and is fast to import."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from typing import Final

SAME_OUTPUT: Final = {"datamodel-code-generator": ((0, 57), (0, 90)), "ruff": ((0, 15), (0, 18))}
"""The libraries that write code, with the versions that write the same: from the first to before the second.

The extra `compiler` allows these, so that a project may have a ruff of its own. Tests generate with each minor version.
"""


def output_version(distribution: str) -> str:
    """Return the oldest version whose output is that of the installed one; empty if it is not installed.

    Packages are the same whoever builds them, so what depends on a library's output depends on this version.
    """
    installed = installed_version(distribution)
    oldest, newer = SAME_OUTPUT.get(distribution, ((), ()))
    release = tuple(int(part) for part in re.findall(r"\d+", installed)[:2])
    return ".".join(map(str, oldest)) if oldest <= release < newer else installed


def installed_version(distribution: str) -> str:
    """Return the version of an installed distribution, empty if it is not installed, without importing it.

    Looks for its `.dist-info` folder first, because importing `importlib.metadata` takes 60 ms, a fifth of the budget
    of a build without changes.
    """
    wanted = _normal(distribution)
    for folder in sys.path:
        if version := _versions_in(folder or os.getcwd()).get(wanted):
            return version
    return _declared_version(distribution)


@cache
def _versions_in(folder: str) -> dict[str, str]:
    """Return the versions of the distributions that are installed in a folder, by normalized name."""
    try:
        names = [name.removesuffix(".dist-info") for name in os.listdir(folder) if name.endswith(".dist-info")]
    except OSError:
        return {}
    found = (name.rpartition("-") for name in names)
    return {_normal(stem): version for stem, _, version in found}


def _normal(name: str) -> str:
    """Return the normalized name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared_version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
