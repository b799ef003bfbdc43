"""Path rules: which folders may be written to, and which files are sensitive. Nothing is read from disk.

Paths are absolute texts here; `resolution` follows links.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, lru_cache
from typing import Final

SENSITIVE: Final = ("~/.ssh", "~/.gnupg", "~/.aws", "~/.config/gcloud", "*.pem", "*.key", ".env", ".env.*")
"""Sensitive by default."""

ALWAYS_SENSITIVE: Final = ("/proc",)
"""Always sensitive: the memory and the environment of processes, including this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRules:
    """The `paths` of one policy.

    `write_roots`: folders that may be written to, with everything below; `.` is the project, `~` the home.
    `tmp`: whether the folders for temporary files are write roots too.
    `sensitive`: a pattern with a slash is a path, with everything below; one without is the name of a file or of a
    folder above it. In both, `*`, `?` and `[...]` match text without a slash.
    `hard_links`: whether a file with several hard links may be read like one with a single name. Its other names are
    unknown, and one of them may be sensitive; but some package managers install all files as hard links.
    """

    write_roots: Sequence[str] = (".",)
    tmp: bool = False
    sensitive: Sequence[str] = SENSITIVE
    hard_links: bool = False


def expand(path: str, *, base: str, home: str) -> str:
    """Make a path absolute: `~` and `~/...` relative to the home, any other relative path to `base`.

    `~name` is a file of that name: the homes of other users are never looked up.
    """
    if path == "~" or path.startswith("~/"):
        return f"{home}/{path[2:]}"
    return path if path.startswith("/") else f"{base}/{path}"


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it. Both are absolute, without links and `..`."""
    return path == folder or path.startswith(folder if folder == "/" else f"{folder}/")


def ancestry(path: str) -> Iterable[str]:
    """Return an absolute path and all folders above it, from the root down."""
    yield "/"
    for end in range(1, len(path)):
        if path[end] == "/":
            yield path[:end]
    if path != "/":
        yield path


@dataclass(frozen=True)
class SensitivePattern:
    """One pattern as written, and its parts for matching. An absolute pattern is a path."""

    text: str
    parts: tuple[str, ...]
    absolute: bool

    @staticmethod
    def parse(text: str, *, project: str, home: str) -> SensitivePattern:
        """Parse a pattern; paths are relative to the project, unless absolute."""
        absolute = "/" in text.rstrip("/") or text.startswith(("~", "/"))
        full = expand(text, base=project, home=home) if absolute else text
        return SensitivePattern(text, tuple(part for part in full.split("/") if part not in ("", ".")), absolute)

    @property
    def place(self) -> str | None:
        """The path of the pattern, if it matches exactly one."""
        literal = self.absolute and not any(_WILDCARDS.search(part) for part in self.parts)
        return f"/{'/'.join(self.parts)}" if literal else None

    def matches(self, path: str) -> bool:
        """Whether an absolute path matches, or is below a match. Case, width and invisible characters are ignored."""
        names = _folded_names(path)
        if self.absolute:
            return len(names) >= len(self._expressions) and all(
                expression.fullmatch(name) for expression, name in zip(self._expressions, names, strict=False)
            )
        return any(expression.fullmatch(name) for expression in self._expressions for name in names)

    @cached_property
    def _expressions(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(translate(_folded(part))) for part in self.parts)


_WILDCARDS: Final = re.compile(r"[*?\[]")
_IGNORABLE: Final = frozenset({"Cf", "Cc"})


@lru_cache(maxsize=64)
def _folded_names(path: str) -> Sequence[str]:
    return [_folded(name) for name in path.split("/") if name]


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    """Fold a name like the most lenient file systems do, so that every spelling of a sensitive name matches."""
    wide = unicodedata.normalize("NFKC", name).casefold()
    shown = "".join(mark for mark in wide if unicodedata.category(mark) not in _IGNORABLE)
    return unicodedata.normalize("NFKC", shown).rstrip(" .")
