"""Store: JSON values in files of the project, by kind and key. An entry that this user's builds did not write is none.

The files are in `.toolgen/cache`, which git ignores. Each starts with a code of its name and content (HMAC-SHA256),
whose secret is in the user's own folder: an entry that is truncated, damaged, renamed, or comes with a repository, is
not used, so that it cannot bring code into a package. Entries are written atomically and never changed, so that two
builds may use them at once. Nothing depends on times of files, except which entries are removed first.
"""

from __future__ import annotations

import hmac
import json
import os
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.project.listing import LARGEST
from toolgen.spec.files import is_inside, read_file
from toolgen.spec.sensitive import cache_folder
from toolgen.spec.writing import PRIVATE, make_private_folder, write_inside

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = ".toolgen/cache"
"""The folder of a project's cache, relative to the project."""

SIZE: Final = 256 * 1024 * 1024
"""Maximum bytes of a cache. One state of 6,700 tools takes 30 MB."""

IN_MEMORY: Final = 64 * 1024 * 1024
"""Maximum bytes of a cache in memory."""

_LARGEST_ENTRY: Final = 16 * LARGEST
_SECRET: Final = 32


class Cache:
    """Values by kind and key, in one folder. Without a folder it is empty, and keeps nothing.

    `hits` and `misses` count what was asked for, by kind. With `is_kept` false nothing is written. What other processes
    of this build have made is added by `receive`, and counts as missed.
    """

    def __init__(self, folder: Path | None = None, secret: bytes = b"", *, is_kept: bool = True) -> None:
        self._folder = folder
        self._secret = secret
        self._is_kept = is_kept
        self._used: set[str] = set()
        self._received: dict[str, bytes | None] = {}
        self._written = False
        self.hits = Counter[str]()
        self.misses = Counter[str]()

    def get(self, kind: str, key: str) -> Any:
        """Return a value; None if there is none that a build of this user has written."""
        value = self.look(kind, key)
        self.count(kind, is_found=value is not None and not self.is_new(kind, key))
        return value

    def look(self, kind: str, key: str) -> Any:
        """Return a value as `get` does, for callers that count what they use of it."""
        name = f"{kind}-{key}"
        received = self._received.get(name)
        if received is not None:
            self._received[name] = None  # most are used once
            return json.loads(received)
        value = self._read(self._folder, name) if self._folder else None
        if value is not None:
            self._used.add(name)
        return value

    def count(self, kind: str, *, is_found: bool) -> None:
        """Count what was asked for."""
        (self.hits if is_found else self.misses)[kind] += 1

    def is_new(self, kind: str, key: str) -> bool:
        """Return whether another process of this build has made a value."""
        return f"{kind}-{key}" in self._received

    def put(self, kind: str, key: str, value: Any) -> None:
        """Keep a JSON value, other than null. If it cannot be written, it is not kept."""
        self._write(f"{kind}-{key}", _content(value))

    def receive(self, made: Mapping[str, bytes]) -> None:
        """Keep what another process of this build has made, which is read once even if it cannot be written."""
        for name, content in made.items():
            self._received[name] = content
            self._write(name, content)

    def recorder(self) -> Recorder:
        """Return a cache for another process, which has all that this one has, and only remembers what is put."""
        return Recorder(self._folder, self._secret, self._received)

    def join(self, recorder: Recorder) -> None:
        """Keep what another process of this build has made for itself, and take over what it has used and counted."""
        for name, content in recorder.made.items():
            self._write(name, content)
        self._received |= recorder._received  # noqa: SLF001  # of this module
        self._used |= recorder._used  # noqa: SLF001  # as above
        self.hits.update(recorder.hits)
        self.misses.update(recorder.misses)

    def _write(self, name: str, content: bytes) -> None:
        if self._folder is None or not self._is_kept:
            return
        try:
            _ignore(self._folder)
            write_inside(self._folder, name, self._code(name, content) + b"\n" + content)
        except OSError:
            return
        self._used.add(name)
        self._written = True

    def prune(self, limit: int = SIZE) -> None:
        """Remove the entries over a size in bytes, those first that were used longest ago; none that were just used."""
        if self._folder is None or not self._written:
            return
        with suppress(OSError):
            files = [entry for entry in os.scandir(self._folder) if entry.is_file(follow_symlinks=False)]
            found = {entry.name: entry.stat(follow_symlinks=False) for entry in files if entry.name != _IGNORE}
            for name in self._used & found.keys():
                os.utime(self._folder / name)
            total = sum(each.st_size for each in found.values())
            for name in sorted(found.keys() - self._used, key=lambda name: found[name].st_mtime_ns):
                if total <= limit:
                    break
                (self._folder / name).unlink()
                total -= found[name].st_size

    def _read(self, folder: Path, name: str) -> Any:
        try:
            content = read_file(folder / name, _LARGEST_ENTRY, follow=False)
        except OSError:
            return None
        code, _, value = content.partition(b"\n")
        return json.loads(value) if hmac.compare_digest(code, self._code(name, value)) else None

    def _code(self, name: str, content: bytes) -> bytes:
        return hmac.digest(self._secret, name.encode() + b"\n" + content, "sha256").hex().encode()


def _content(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


class Recorder(Cache):
    """The cache of a process that works for another one: `made` is what was put, for `Cache.receive`."""

    def __init__(self, folder: Path | None, secret: bytes, received: Mapping[str, bytes | None]) -> None:
        super().__init__(folder, secret, is_kept=False)
        self._received |= received
        self.made: dict[str, bytes] = {}

    def look(self, kind: str, key: str) -> Any:
        """Return what was put, or what the cache has."""
        made = self.made.get(f"{kind}-{key}")
        return super().look(kind, key) if made is None else json.loads(made)

    def emptied(self) -> Recorder:
        """Return this cache without what it was given and did not use, to be sent to the process that gave it."""
        self._received = {name: None for name, content in self._received.items() if content is None}
        return self

    def put(self, kind: str, key: str, value: Any) -> None:
        """Remember a JSON value, other than null."""
        self.made[f"{kind}-{key}"] = _content(value)


class MemoryCache(Cache):
    """The cache of a process that goes on: what it puts stays in memory, up to `most` bytes, and is not written."""

    def __init__(self, folder: Path | None = None, secret: bytes = b"", most: int = IN_MEMORY) -> None:
        super().__init__(folder, secret, is_kept=False)
        self._texts: dict[str, bytes] = {}
        self._left = most

    def look(self, kind: str, key: str) -> Any:
        """Return a new value each time: what is in memory, or in the files of other processes."""
        name = f"{kind}-{key}"
        text = self._texts.pop(name, None)
        if text is None:
            value = super().look(kind, key)
            if value is not None:
                self.put(kind, key, value)
            return value
        self._texts[name] = text  # now the one that was used last
        return json.loads(text)

    def put(self, kind: str, key: str, value: Any) -> None:
        """Keep a JSON value, other than null. Those that were used longest ago are forgotten."""
        name, text = f"{kind}-{key}", _content(value)
        self._left += len(self._texts.pop(name, b"")) - len(text)
        self._texts[name] = text
        while self._left < 0:
            self._left += len(self._texts.pop(next(iter(self._texts))))


def open_cache(root: Path, *, is_kept: bool = True) -> Cache:
    """Return the cache of a project; an empty one if its folder leads out of the project, or there is no secret."""
    folder, secret = _place_of(root)
    return Cache(folder, secret, is_kept=is_kept)


def open_in_memory(root: Path) -> MemoryCache:
    """Return a cache that reads that of a project, as `open_cache` does, and keeps what it gets in memory."""
    return MemoryCache(*_place_of(root))


def _place_of(root: Path) -> tuple[Path | None, bytes]:
    """Return the folder of a project's cache, if it may have one, and the secret of this user."""
    folder, secret = root / FOLDER, _user_secret()
    if secret is None or not is_inside(os.path.realpath(folder), os.path.realpath(root)):
        return None, b""
    return folder, secret


_IGNORE: Final = ".gitignore"


def _ignore(folder: Path) -> None:
    """Create the folder of a cache, with a `.gitignore` for projects that do not ignore `.toolgen`."""
    if not folder.is_dir():
        write_inside(folder, _IGNORE, b"*\n")


def _user_secret() -> bytes | None:
    """Return the secret of this user, created if there is none; None if there is no place for it."""
    try:
        place = cache_folder() / "cache.key"
        if not place.exists():
            with suppress(FileExistsError):  # another process was faster
                make_private_folder(place.parent)
                write_inside(place.parent, place.name, os.urandom(_SECRET), mode=PRIVATE, is_new=True)
        secret = read_file(place, _SECRET, follow=False)
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None
    return secret if len(secret) == _SECRET else None
