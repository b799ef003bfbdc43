"""Inputs: all that decides what a package looks like, as digests. Standard library only, and quick to import."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from toolgen.compiler.config import Target

SPEC_SUFFIXES: Final = (".yaml", ".yml", ".json")

FORMATTER: Final = "ruff"
_LIBRARIES = ("datamodel-code-generator", "jinja2")
_GENERATOR_PARTS = ("compiler", "contract", "providers")
_TOOLGEN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a package was made from.

    `specs` maps each file, relative to the project, to its sha256; `generator` is the sha256 of toolgen's own code,
    its templates, and the versions of the libraries it generates with; `formatter` is ruff's version, empty where it
    is not installed; `config` is the sha256 of the target's settings.
    """

    specs: Mapping[str, str]
    generator: str
    formatter: str
    config: str


def current_inputs(root: Path, target: Target) -> Inputs:
    """Digest what a build of `target` would start from now.

    A build calls this before it reads the specs, so that an edit in between shows as drift and is never missed.
    """
    return Inputs(
        specs=spec_digests(root, target.specs),
        generator=generator_digest(),
        formatter=installed_version(FORMATTER),
        config=digest(json.dumps(asdict(target), sort_keys=True).encode()),
    )


def digest(content: bytes) -> str:
    """Give the sha256 of `content`, in hexadecimal."""
    return sha256(content).hexdigest()


def spec_files(folder: Path) -> tuple[str, ...]:
    """List what reading the specs in `folder` reads: paths relative to it, with `/`, sorted.

    These are the files with a suffix of `SPEC_SUFFIXES`, at any depth; names that start with a dot are skipped. A link
    is followed inside the folder, and no file is listed twice. What reading reports instead, a folder that cannot be
    opened or a link that leads out, is listed as if it were a file.
    """
    home = os.path.realpath(folder)
    found: list[str] = []
    seen: set[str] = set()
    places, links = [("", home)], list[str]()
    while places or links:
        path, real = places.pop() if places else _followed(folder, links.pop(0))
        if real in seen:
            continue
        seen.add(real)
        if not os.path.isdir(real) or not f"{real}{os.sep}".startswith(f"{home}{os.sep}"):
            found.append(path or ".")
            continue
        try:
            entries = list(os.scandir(real))
        except OSError:
            found.append(path or ".")
            continue
        for entry in sorted(entries, key=lambda each: each.name):
            inside = f"{path}/{entry.name}".lstrip("/")
            if entry.name.startswith(".") or not (_is_spec(entry.name) or entry.is_dir()):
                continue
            if entry.is_symlink():
                links.append(inside)
            else:
                places.append((inside, entry.path))
    return tuple(sorted(found))


def _followed(folder: Path, path: str) -> tuple[str, str]:
    return path, os.path.realpath(os.path.join(folder, path))


def _is_spec(name: str) -> bool:
    return name.lower().endswith(SPEC_SUFFIXES)


def spec_digests(root: Path, specs: str) -> dict[str, str]:
    """Digest every spec file under the folder `specs` of the project `root`."""
    folder = root / specs
    return {f"{specs}/{path}": _file_digest(os.path.join(folder, *path.split("/"))) for path in spec_files(folder)}


def generator_digest() -> str:
    """Digest what turns specs into files: toolgen's code and templates, and the libraries it generates with.

    The same wherever toolgen is installed.
    """
    total = sha256()
    for name, path in sorted(_generator_files()):
        total.update(f"{name} {_file_digest(path)}\n".encode())
    for library in _LIBRARIES:
        total.update(f"{library} {installed_version(library)}\n".encode())
    return total.hexdigest()


def _generator_files() -> Iterator[tuple[str, str]]:
    yield "__init__.py", os.path.join(_TOOLGEN, "__init__.py")
    for part in _GENERATOR_PARTS:
        yield from _files_below(os.path.join(_TOOLGEN, part), part, ".py")
    yield from _files_below(template_folder(), "templates", "")


def _files_below(folder: str, name: str, suffix: str) -> Iterator[tuple[str, str]]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if each != "__pycache__" and not each.startswith(".")]
        inside = os.path.relpath(parent, folder).replace(os.sep, "/")
        place = name if inside == "." else f"{name}/{inside}"
        for file in files:
            if file.endswith(suffix) and not file.startswith("."):
                yield f"{place}/{file}", os.path.join(parent, file)


def template_folder() -> str:
    """Give the folder of the templates: inside the package where it was installed, beside it in a checkout."""
    inside = os.path.join(_TOOLGEN, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_TOOLGEN), "templates")


def installed_version(distribution: str) -> str:
    """Give the version of an installed distribution, or nothing, without importing it.

    Looks for its `.dist-info` folder first, because to import `importlib.metadata` costs 60 ms, a fifth of the
    budget of a build with nothing to do.
    """
    wanted = _normal(distribution)
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            stem, _, version = name.removesuffix(".dist-info").rpartition("-")
            if name.endswith(".dist-info") and _normal(stem) == wanted:
                return version
    return _declared_version(distribution)


def _normal(name: str) -> str:
    """Spell a distribution's name in the way that its variants share (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared_version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def _file_digest(path: str) -> str:
    try:
        with open(path, "rb", buffering=0) as file:
            return digest(file.readall())
    except OSError:
        return _UNREADABLE
