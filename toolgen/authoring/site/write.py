"""Writing: the files of a site into a folder, all or none. Files that it did not write are never removed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from toolgen.spec.files import LeadsOut, read_file
from toolgen.spec.writing import make_folder_inside, named_place, place_inside, write_new

MANIFEST: Final = "toolgen-site.json"
"""The list of the files of a site, in its folder."""

_LARGEST: Final = 256 * 1024 * 1024
"""The size of that list, in bytes."""

_LISTED: Final = 3


class SiteError(Exception):
    """A folder cannot be used for a site. The message says why, and what to do."""


def write_site(folder: Path, files: Iterable[tuple[str, str | bytes]]) -> tuple[int, int]:
    """Write a site, given as path and content of each file; return the number of files and their bytes.

    The files are written into a new folder beside it, which then takes its place: a reader sees the old site or the
    new one, and an error leaves the old one. Raises SiteError if the folder has files that no site wrote, OSError.
    """
    place = site_folder(folder)
    if not place.parent.exists():
        make_folder_inside(*named_place(place.parent))
    staged = Path(mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        size = _write_all(staged, files)
        staged.chmod(0o777 & ~_umask())
        paths = sorted(path.relative_to(staged).as_posix() for path in _files_below(staged))
        text = json.dumps({"generator": "toolgen docs", "files": paths}, indent=0, ensure_ascii=False)
        write_new(staged / MANIFEST, f"{text}\n".encode())
        _replace(place, staged)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return len(paths), size


def site_folder(named: Path) -> Path:
    """Return where a folder of a site is, links followed.

    Raises SiteError for a link that leads out of the working directory, for what is no folder, and for a folder with
    files that no site wrote.
    """
    try:
        folder = Path(place_inside(*named_place(named)))
    except LeadsOut:
        raise SiteError(f"{named} leads out of this folder through a link: name the other folder itself") from None
    if os.path.lexists(folder):
        _check(folder)
    return folder


def _check(folder: Path) -> None:
    if not folder.is_dir():
        raise SiteError(f"{folder.name} is a file: name a folder")
    own = _listed_files(folder) | {MANIFEST}
    found = (path.relative_to(folder).as_posix() for path in _files_below(folder))
    foreign = [*islice((path for path in found if path not in own), _LISTED + 1)]  # not all: it may be a whole disk
    if foreign:
        more = " and more" if len(foreign) > _LISTED else ""
        names = ", ".join(foreign[:_LISTED])
        raise SiteError(
            f"{folder.name} has files that are not of a site: {names}{more}. Move them, or name another folder"
        )


def _listed_files(folder: Path) -> set[str]:
    try:
        document: Any = json.loads(read_file(folder / MANIFEST, _LARGEST, follow=False))
        return {str(path) for path in document["files"]}
    except FileNotFoundError:
        return set()
    except (OSError, ValueError, TypeError, KeyError):
        raise SiteError(f"{folder.name}/{MANIFEST} cannot be read. Delete the folder if it is a site") from None


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield all that is not a folder; links are not followed."""
    for parent, folders, files in os.walk(folder):
        folders.sort()
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        yield from (Path(parent) / name for name in (*sorted(files), *links))


def _write_all(staged: Path, files: Iterable[tuple[str, str | bytes]]) -> int:
    size, folders = 0, set[Path]()
    for path, given in files:
        file = staged / path
        if file.parent not in folders:
            make_folder_inside(staged, file.parent.relative_to(staged))
            folders.add(file.parent)
        content = given if isinstance(given, bytes) else given.encode("utf-8", "backslashreplace")
        write_new(file, content)
        size += len(content)
    return size


def _replace(place: Path, staged: Path) -> None:
    if not place.exists():
        staged.rename(place)
        return
    old = Path(mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
    place.rename(old / "site")
    try:
        staged.rename(place)
    except OSError:
        (old / "site").rename(place)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
