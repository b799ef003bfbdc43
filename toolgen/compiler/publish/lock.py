"""Lock: `toolgen.lock`, which lists the generated files of a package and the digests of their unedited content.

Each tool has a line with the digests of its parts of files, each other part of a file has its line, and all are sorted.
So branches that change different tools change different lines, separated by a blank one, because version control would
treat changes of adjacent lines as a conflict. A lock that was merged, line by line or with conflict markers, is read as
the union of both locks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING, Final

from toolgen import __version__
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.versions import output_version
from toolgen.compiler.publish.inputs import FORMATTER, Inputs, digest
from toolgen.compiler.publish.tree import LOCK, Tree, unsafe
from toolgen.spec.text import lines_of

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics


# State: the inputs of the last build of this user, so that the next one can detect that nothing has changed.
#
# It is kept in the cache of the project, where a state that came with a repository is none: who could write one could
# say that any package is what its specs give. If it is missing, or is of another lock, specs are compiled and compared.

_KIND: Final = "built"


def note_state(tree: Tree, inputs: Inputs, files: Mapping[str, bytes] | None = None) -> None:
    """Keep the inputs of the package with its lock, and a digest of its files; they are read if they are not given."""
    lock = tree.read(LOCK)
    found = {path: tree.read(path) for path in parse_lock(lock).files} if files is None else files
    open_cache(tree.root).put(_KIND, _key_of(tree, lock), {"files": _digest_of(found), "inputs": asdict(inputs)})


@dataclass(frozen=True, slots=True)
class Noted:
    """What is stored of a package: its inputs, and the digest of its files, which tells whether any was changed.

    With it nothing has to be read from the lock, which takes longer than all the rest.
    """

    inputs: Inputs
    files: str

    def has_written(self, tree: Tree, paths: Iterable[str]) -> bool:
        """Whether the files at these paths are all of the package, as it was built."""
        try:
            return _digest_of({path: tree.read(path) for path in paths}) == self.files
        except OSError:
            return False


def read_noted(tree: Tree, lock: bytes) -> Noted | None:
    """Return what is kept of the package with this lock; None if nothing is kept here."""
    state = open_cache(tree.root, is_kept=False).look(_KIND, _key_of(tree, lock))
    try:
        return None if state is None else Noted(Inputs(**state["inputs"]), state["files"])
    except (KeyError, TypeError):  # another toolgen has kept it
        return None


def _key_of(tree: Tree, lock: bytes) -> str:
    return digest(f"{tree.out}\n{digest(lock)}".encode())


def _digest_of(files: Mapping[str, bytes]) -> str:
    total = sha256()
    for path in sorted(files):
        total.update(f"{path} {len(files[path])}\n".encode())
        total.update(files[path])
    return total.hexdigest()


# Parts: the pieces of generated files that have separate digests in a lock, by tool.
#
# Files with content of every tool (`catalog.json`, `TOOLS.md`, transforms) are split by tool or function; everything
# else is one part. Between conflict markers a file counts as two files, one for each side of the
# merge.

_ENTRY: Final = re.compile(rb'^"([\w.-]+)":\n(\{.*\}),?\n', re.MULTILINE)
"""A tool in `catalog.json`: its ident on one line, all else on the next."""

_ROW_OR_SECTION: Final = re.compile(rb"^(?:\| \[`([\w.-]+)`\].*\n|### `([\w.-]+)`\n(?:(?!##).*\n?)*)", re.MULTILINE)
"""A tool in `TOOLS.md`: its row in the table of its toolset, and its section, up to the next heading."""

_FUNCTION: Final = re.compile(rb"^def (\w+)\((?:(?!def ).*\n?)*", re.MULTILINE)

_START: Final = b"<<<<<<< "
_CONFLICT: Final = re.compile(b"^" + _START, re.MULTILINE)
_MARKER: Final = re.compile(rb"<<<<<<< |\|\|\|\|\|\|\| |=======$|>>>>>>> ")


def parts_of(path: str, content: bytes, *, split: bool = False) -> dict[str, bytes]:
    """Split a generated file: name to content. The rest is the part with an empty name.

    With `split`, a module whose functions are no parts any more is split too: for the lock of an earlier toolgen.
    """
    name = path.rpartition("/")[2]
    if path == "catalog.json":
        pattern = _ENTRY
    elif path == "TOOLS.md":
        pattern = _ROW_OR_SECTION
    elif name == "transforms.py" or split:
        pattern = _FUNCTION
    else:
        return {"": content}
    parts: dict[str, bytes] = {"": pattern.sub(b"", content).rstrip(b"\n")}
    for found in pattern.finditer(content):
        named = found[found.lastindex or 1] if pattern is _ROW_OR_SECTION else found[1]
        part = found[2] if pattern is _ENTRY else found[0]
        parts[named.decode()] = parts.get(named.decode(), b"") + part.rstrip(b"\n")
    return parts


def has_conflict(content: bytes) -> bool:
    """Return whether a file has conflict markers."""
    return _START in content and _CONFLICT.search(content) is not None


def sides(content: bytes) -> list[bytes]:
    """Return the versions that a file with conflict markers was merged from; without markers, the file itself."""
    if not has_conflict(content):
        return [content]
    read = [*_sides(content)]
    return [b"".join(line for line, where in read if side in where) for side in "ot"]


def _sides(content: bytes) -> Iterator[tuple[bytes, str]]:
    """Iterate over the lines without markers, each with its sides: `o`urs, `t`heirs."""
    where = "ot"
    for line in BytesIO(content):
        marker = _MARKER.match(line.rstrip(b"\r\n"))
        if marker is None or (where == "ot" and marker[0] != b"<<<<<<< "):
            yield line, where
        else:
            where = {b"<": "o", b"|": "", b"=": "t", b">": "ot"}[marker[0][:1]]


_FORMAT: Final = "2"
_HEAD: Final = """\
# Generated by toolgen, with the package in this folder. Version control may merge it line by line.
"""
_HEADERS: Final = ("lock", "generator", "formatter")
_NONE: Final = "none"
UPGRADE: Final = "upgrade toolgen"
"""What to do about a package of a newer toolgen."""

_LENGTH: Final = 32
_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
_RELEASE: Final = re.compile(r"\d{1,9}(\.\d{1,9}){0,2}")
_MARKERS: Final = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")

Owners = dict[str, str]
"""The owners of the parts of a package: `path#part`, or the path of a whole file, to the ident of a tool."""


@dataclass(frozen=True)
class Lock:
    """The content of `toolgen.lock`: the versions of toolgen and ruff that write the package, and digests of its parts.

    `parts` is keyed by `path#part`, or the path for the unnamed part of a file. A merged lock can have several digests
    of a part. `owners` has the tools of parts. `newer` is the version of a newer toolgen that wrote it, or one of the
    locks that it was merged from; empty if none did.
    """

    generator: str
    formatter: str
    parts: Mapping[str, frozenset[str]]
    owners: Mapping[str, str]
    newer: str = ""

    @cached_property
    def files(self) -> Mapping[str, frozenset[str]]:
        """The generated files: each path, with the keys of its parts."""
        found: dict[str, set[str]] = {}
        for key in self.parts:
            found.setdefault(key.partition("#")[0], set()).add(key)
        return {path: frozenset(keys) for path, keys in found.items()}

    @cached_property
    def is_merged(self) -> bool:
        """Whether it has the lines of several builds, as a merge leaves it."""
        return any(len(digests) > 1 for digests in self.parts.values())

    def has_written(self, path: str, content: bytes) -> bool:
        """Return whether a file has only content that toolgen wrote.

        This includes a merge of two such files, also with conflict markers, if the lock has both.
        """
        versions = sides(content)
        split = any("#" in key for key in self.files.get(path, ()))
        found = [_digests(path, version, split=split) for version in versions]
        if any(value not in self.parts.get(key, ()) for parts in found for key, value in parts.items()):
            return False
        return len(versions) > 1 or found[0].keys() == self.files.get(path)


class LockBroken(ValueError):
    """The text is not a lock; the message says why."""


class LockOfNewer(LockBroken):
    """The lock is in the format of a newer toolgen."""


def lock_for(files: Mapping[str, bytes], owners: Mapping[str, str], formatter: str) -> Lock:
    """Return the lock of a package with these files, parts of which belong to the tools in `owners`."""
    parts = {
        key: frozenset({value}) for path, content in files.items() for key, value in _digests(path, content).items()
    }
    owned = {key: owner for key, owner in owners.items() if key in parts}
    return Lock(__version__, formatter, parts, owned)


def _digests(path: str, content: bytes, *, split: bool = False) -> dict[str, str]:
    parts = parts_of(path, content, split=split)
    return {f"{path}#{name}" if name else path: digest(part)[:_LENGTH] for name, part in parts.items()}


def render_lock(lock: Lock) -> bytes:
    """Render a lock: for each tool, and each other part, one line with the name and the digests, sorted."""
    entries: dict[str, list[str]] = {}
    for key in sorted(lock.parts):
        entries.setdefault(lock.owners.get(key, key), []).extend(_entry(lock, key))
    lines = [f"lock {_FORMAT}", f"generator {lock.generator}", f"formatter {lock.formatter or _NONE}"]
    lines += [f"\n{owner} {' '.join(entries[owner])}" for owner in sorted(entries)]
    return (_HEAD + "\n".join(lines) + "\n").encode()


def _entry(lock: Lock, key: str) -> list[str]:
    name = f"{key}=" if key in lock.owners else ""
    return [f"{name}{value}" for value in sorted(lock.parts[key])]


@lru_cache(maxsize=1)
def parse_lock(content: bytes) -> Lock:
    """Parse a lock from `render_lock`, or a merge of two locks. Raises LockBroken.

    The last one is kept: a build reads its lock before, during and after it publishes.
    """
    heads: dict[str, set[str]] = {name: set() for name in _HEADERS}
    parts: dict[str, set[str]] = {}
    owners: dict[str, str] = {}
    try:
        lines = lines_of(content.decode())
    except UnicodeDecodeError as error:
        raise LockBroken(f"is not UTF-8 text: {error.reason}") from error
    for number, line in enumerate(lines, 1):
        if not line or line.startswith(("#", *_MARKERS)):
            continue
        owner, *entries = line.split()
        if owner in heads:
            heads[owner].update(entries)
            continue
        if not entries:
            raise LockBroken(f"is not a lock: line {number} is not an entry")
        for entry in entries:
            name, _, value = entry.rpartition("=")
            key = name or owner
            _check(key, value, number)
            parts.setdefault(key, set()).add(value)
            if key != owner:
                owners[key] = owner
    if heads["lock"] != {_FORMAT}:
        is_newer = any(_release(version) > _release(_FORMAT) for version in heads["lock"])
        kind = LockOfNewer if is_newer else LockBroken
        raise kind(f"is not in format {_FORMAT}, the one that toolgen {__version__} reads")
    newest = max(map(_release, heads["generator"]), default=())
    return Lock(
        generator=_one_of(heads["generator"], __version__),
        formatter=_one_of(heads["formatter"] - {_NONE}, output_version(FORMATTER)),
        parts={key: frozenset(values) for key, values in parts.items()},
        owners=owners,
        newer=".".join(map(str, newest)) if newest > _release(__version__) else "",
    )


def _release(version: str) -> tuple[int, ...]:
    """Return the first numbers of a version; none of a text that is no version."""
    found = _RELEASE.match(version)
    return tuple(map(int, found[0].split("."))) if found else ()


def _check(key: str, value: str, line: int) -> None:
    path = key.partition("#")[0]
    if problem := unsafe(path) or ("is the lock itself" if path == LOCK else ""):
        raise LockBroken(f"has {path!r} in line {line}, which {problem}")
    if not _DIGEST.fullmatch(value):
        raise LockBroken(f"is not a lock: line {line} has no digest for {key!r}")


def _one_of(versions: set[str], now: str) -> str:
    """Return the version that wrote a package; if a merged lock has several, the current one."""
    return now if now in versions else max(versions, default="")


def read_lock(tree: Tree, sink: Diagnostics) -> Lock | None:
    """Read the lock of a package; None if there is none, or if it is broken, which is reported."""
    try:
        return parse_lock(tree.read(LOCK))
    except FileNotFoundError:
        return None
    except OSError as error:
        report_broken(tree, LockBroken(f"cannot be read: {error.strerror}"), sink)
        return None
    except LockBroken as error:
        report_broken(tree, error, sink)
        return None


def report_broken(tree: Tree, error: LockBroken, sink: Diagnostics) -> None:
    """Report that the lock of a package is broken, or of a newer toolgen."""
    fix = UPGRADE if isinstance(error, LockOfNewer) else "restore it from version control"
    fix += ", or run `toolgen build --force`"
    sink.report("TG606", tree.span(LOCK), f"{tree.out}/{LOCK} {error}", fix=fix)
