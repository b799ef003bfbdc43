"""Artifacts: data too large for a result, in files named by digests; at a URL it needs the extra `artifacts`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import uuid4

from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base.errors import ArtifactError, ArtifactNotFound
from toolgen.spec.files import read_file, too_large
from toolgen.spec.sensitive import note_private
from toolgen.spec.writing import PRIVATE, write_inside

LARGEST: Final = 1 << 30
"""Maximum size of an artifact, in bytes. All of it is in memory when it is stored and read."""

_LONGEST_TYPE: Final = 512
_REF: Final = re.compile(r"sha256:([0-9a-f]{64})")
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]{1,127}/[\w!#$&^.+-]{1,127}(;[ \w!#$&^.+=\"/-]{1,200})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Artifact:
    """The bytes of an artifact, and its media type."""

    data: bytes
    media_type: str


class Artifacts:
    """Stores artifacts in a folder, or at a URL that fsspec opens (`s3://bucket/path`; extra `toolgen[artifacts]`).

    Only its user can read the files and folders that it creates. Writes are atomic, also with concurrent writers. All
    methods block: in an event loop, call them in a thread. Raises `ArtifactError` if a URL cannot be used.
    """

    def __init__(self, place: str | Path) -> None:
        remote = isinstance(place, str) and "://" in place
        self._files: _Files = _RemoteFiles(str(place)) if remote else _LocalFiles(Path(place))

    def put(self, data: bytes, media_type: str = "application/octet-stream") -> str:
        """Store bytes and return their ref, `sha256:…`; equal bytes have the same ref, and their first media type.

        What is stored under it is compared, and written anew if it is missing or damaged.
        Raises ValueError for a media type outside of RFC 6838, and `ArtifactError`.
        """
        if not _MEDIA_TYPE.fullmatch(media_type):
            raise ValueError("not a media type")
        if len(data) > LARGEST:
            raise ArtifactError(f"the artifact is over {LARGEST:,} bytes")
        digest = sha256(data).hexdigest()
        name = _name(digest)
        try:
            kept = self._kept(f"{name}.type", _LONGEST_TYPE)
            if kept is None or not _MEDIA_TYPE.fullmatch(kept.decode("ascii", "replace")):
                self._files.write(f"{name}.type", media_type.encode())
            if self._kept(name, len(data)) != data:
                self._files.write(name, data)
        except OSError as error:
            raise ArtifactError(f"the artifact cannot be stored: {error.strerror or type(error).__name__}") from error
        return f"sha256:{digest}"

    def _kept(self, name: str, limit: int) -> bytes | None:
        """Return what is stored already; None if it cannot be read, or is longer."""
        try:
            return self._files.read(name, limit)
        except OSError:
            return None

    def get(self, ref: str) -> Artifact:
        """Return an artifact. Raises `ArtifactNotFound`, and `ArtifactError` if it is damaged."""
        found = _REF.fullmatch(ref)
        if found is None:
            raise ArtifactNotFound("not an artifact ref")
        name = _name(found[1])
        try:
            data = self._files.read(name, LARGEST)
            media_type = self._files.read(f"{name}.type", _LONGEST_TYPE).decode("ascii", "replace")
        except FileNotFoundError:
            raise ArtifactNotFound("there is no artifact with that ref") from None
        except OSError as error:
            raise ArtifactError(f"the artifact cannot be read: {error.strerror or type(error).__name__}") from error
        if sha256(data).hexdigest() != found[1] or not _MEDIA_TYPE.fullmatch(media_type):
            raise ArtifactError("the artifact is damaged: its content has changed")
        return Artifact(data, media_type)


def _name(digest: str) -> str:
    """Return the path of an artifact, in one of 256 folders, so that none grows too large."""
    return f"{digest[:2]}/{digest}"


class _Files(Protocol):
    """Files by name, below one folder or URL. All raise OSError.

    `read` raises FileNotFoundError for a missing file, `TooLarge` for one of more than `limit` bytes.
    """

    def read(self, name: str, limit: int) -> bytes: ...

    def write(self, name: str, data: bytes) -> None: ...


class _LocalFiles:
    """Files in a folder, which is created when the first is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        note_private(folder)

    def read(self, name: str, limit: int) -> bytes:
        return read_file(self._folder / name, limit, follow=False)

    def write(self, name: str, data: bytes) -> None:
        """Write a file that appears when all of it is on disk."""
        write_inside(self._folder, name, data, mode=PRIVATE, is_durable=True)


class _FileSystem(Protocol):
    """The methods used of fsspec's `AbstractFileSystem`."""

    def cat_file(self, path: str, start: int, end: int) -> bytes: ...

    def pipe_file(self, path: str, value: bytes) -> None: ...

    def makedirs(self, path: str, exist_ok: bool) -> None: ...

    def mv(self, path1: str, path2: str) -> None: ...


class _RemoteFiles:
    """Files at a URL."""

    def __init__(self, url: str) -> None:
        try:
            core: Any = import_module("fsspec.core")
        except ImportError:
            raise ArtifactError(str(MissingExtra("artifacts at a URL need fsspec", "artifacts"))) from None
        try:
            self._system: _FileSystem
            self._system, self._root = core.url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise ArtifactError(f"artifacts cannot be stored at such a URL: {error}") from error

    def read(self, name: str, limit: int) -> bytes:
        data = self._system.cat_file(f"{self._root}/{name}", 0, limit + 1)
        if len(data) > limit:
            raise too_large(limit, name)
        return data

    def write(self, name: str, data: bytes) -> None:
        """Write a temporary file, and rename it: on some file systems unfinished files are visible."""
        path = f"{self._root}/{name}"
        folder = path.rpartition("/")[0]
        draft = f"{folder}/.{uuid4().hex}"
        self._system.makedirs(folder, exist_ok=True)
        self._system.pipe_file(draft, data)
        self._system.mv(draft, path)
