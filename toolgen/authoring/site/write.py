"""Writing: the files of a site into a folder, all or none. Files that it did not write are never removed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from toolgen.spec.files import LeadsOut, read_file
from toolgen.spec.locks import held
from toolgen.spec.writing import make_folder_inside, named_place, place_inside, write_new

MANIFEST: Final = "toolgen-site.json"
"""The list of the files of a site, in its folder."""

_LARGEST: Final = 256 * 1024 * 1024
"""The size of that list, in bytes."""

_LISTED: Final = 3

_PATIENCE: Final = 60.0
"""Seconds in which others can replace the site."""


class SiteError(Exception):
    """A folder cannot be used for a site. The message says why, and what to do."""


def write_site(folder: Path, files: Iterable[tuple[str, str | bytes]]) -> tuple[int, int]:
    """Write a site, given as path and content of each file; return the number of files and their bytes.

    The files are written into a new folder beside it, which then takes its place: a reader sees the old site or the
    new one, and an error leaves the old one. Of several writers the last one wins. Raises SiteError if the folder has
    files that no site wrote, also if they came meanwhile, and OSError.
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
        with _alone(place):
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
        with _alone(folder):
            _check(folder, folder.name)
    return folder


@contextmanager
def _alone(place: Path) -> Generator[None]:
    """Let one writer at a time look at a folder and replace it, as a context. Raises SiteError, and OSError."""
    try:
        with held(place.parent / f".{place.name}.lock", _PATIENCE, 0o666):
            yield
    except TimeoutError:
        raise SiteError(f"{place.name} has been written by another command for {_PATIENCE:g} s: try again") from None


def _check(folder: Path, name: str) -> set[str]:
    """Return the files of the site in a folder; there is none that no site wrote. Raises SiteError, with a name."""
    if not os.path.lexists(folder):
        return set()
    if folder.is_symlink() or not folder.is_dir():
        raise SiteError(f"{name} is a file: name a folder")
    own = _listed_files(folder, name) | {MANIFEST}
    foreign = [*islice(_foreign_files(folder, own), _LISTED + 1)]  # not all: it may be a whole disk
    if foreign:
        more = " and more" if len(foreign) > _LISTED else ""
        names = ", ".join(foreign[:_LISTED])
        raise SiteError(f"{name} has files that are not of a site: {names}{more}. Move them, or name another folder")
    return own


def _foreign_files(folder: Path, own: set[str]) -> Iterator[str]:
    found = (path.relative_to(folder).as_posix() for path in _files_below(folder))
    return (path for path in found if path not in own)


def _listed_files(folder: Path, name: str) -> set[str]:
    try:
        document: Any = json.loads(read_file(folder / MANIFEST, _LARGEST, follow=False))
        return {str(path) for path in document["files"]}
    except FileNotFoundError:
        return set()
    except (OSError, ValueError, TypeError, KeyError):
        raise SiteError(f"{name}/{MANIFEST} cannot be read. Delete the folder if it is a site") from None


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
    """Put a new site where the old one is. Files that others write there at this moment stay, or it is refused."""
    _check(place, place.name)
    if not place.exists():
        staged.rename(place)
        return
    old = Path(mkdtemp(prefix=f".{place.name}-old-", dir=place.parent))
    try:
        place.rename(old / "site")
        try:
            own = _check(old / "site", place.name)  # from here on, nobody who comes by its path finds it
            staged.rename(place)
        except (SiteError, OSError):
            _put_back(old / "site", place)
            raise
        _remove_own(old / "site", own)
        _carry_over(old / "site", place)
    finally:
        _remove_empty(old)


def _put_back(moved: Path, place: Path) -> None:
    """Undo that a site was moved away. Raises SiteError if others have created a folder or a file in its place."""
    try:
        moved.rename(place)
    except OSError as error:
        kept = f"{moved.parent.name}/{moved.name}"
        raise SiteError(f"{place.name} was created anew meanwhile: the site that was there is in {kept}") from error


def _remove_own(folder: Path, own: set[str]) -> None:
    for path in _files_below(folder):
        if path.relative_to(folder).as_posix() in own:
            with suppress(OSError):  # the new site is in its place
                path.unlink()


def _carry_over(folder: Path, place: Path) -> None:
    """Move what others wrote into the old site after all, by an open folder, into the new one, if its place is free.

    What cannot be moved stays where it is.
    """
    for path in _files_below(folder):
        target = place / path.relative_to(folder)
        with suppress(OSError):
            target.parent.mkdir(parents=True, exist_ok=True)
            if not os.path.lexists(target):
                path.rename(target)


def _remove_empty(folder: Path) -> None:
    """Remove a folder and those below it, without what still has files."""
    for parent, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):
            Path(parent).rmdir()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
