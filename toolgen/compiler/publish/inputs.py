"""Inputs: everything that determines a package, as digests. Uses only the standard library, and is fast to import."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from toolgen.compiler.project.listing import LARGEST, list_builtin, list_specs
from toolgen.compiler.project.versions import installed_version, output_version
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from pathlib import Path

    from toolgen.compiler.project.config import Target
    from toolgen.compiler.project.listing import Listed

FORMATTER: Final = "ruff"
_LIBRARIES = ("datamodel-code-generator", "jinja2")
_CHECKING = ("jsonschema", "jsonschema-rs", "pydantic", "pydantic-core", "pyyaml")
_GENERATOR_PARTS = ("compiler", "contract", "providers", "schema", "search", "spec")
_TOOLGEN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a package.

    `specs` maps each file, relative to the project or of a built-in toolset, to its sha256; `generator` is the sha256
    of toolgen's code, its templates, and the versions of the libraries it generates with; `formatter` is the oldest
    version of ruff that formats as the installed one does, empty if none is installed; `config` is the sha256 of the
    target's settings. `named` is that of settings that name tools: no package depends on them, and a build checks them.
    """

    specs: Mapping[str, str]
    generator: str
    formatter: str
    config: str
    named: str = ""


def current_inputs(root: Path, target: Target) -> Inputs:
    """Return the digests of the current inputs of `target`.

    A build calls this before it reads the specs, so that a concurrent edit is detected as drift.
    """
    settings = asdict(target)
    named: str = settings.pop("named")
    return Inputs(
        specs=spec_digests(root, target.specs) | builtin_digests(target.builtin),
        generator=generator_digest(),
        formatter=output_version(FORMATTER),
        config=digest(json.dumps(settings, sort_keys=True).encode()),
        named=digest(named.encode()),
    )


def settings_digest(target: Target) -> str:
    """Return a digest of what determines a package beside its specs: settings, toolgen, libraries, Python.

    With it parts of packages are kept. Unlike `Inputs`, it has the libraries that only accept or reject specs: a part
    is kept with the warnings about it.
    """
    versions = [output_version(FORMATTER), *map(installed_version, _CHECKING)]
    return digest(
        json.dumps([generator_digest(), target.profile, target.formats, versions, sys.version_info[:3]]).encode()
    )


def digest(content: bytes) -> str:
    """Return the sha256 of `content`, in hexadecimal."""
    return sha256(content).hexdigest()


def spec_digests(root: Path, specs: str) -> dict[str, str]:
    """Digest every spec file under the folder `specs` of the project `root`."""
    return {f"{specs}/{listed.path}": _digest_of(listed) for listed in list_specs(root / specs, root)}


def builtin_digests(toolsets: Iterable[str]) -> dict[str, str]:
    """Digest the specs of built-in toolsets of this toolgen."""
    return {listed.path: _digest_of(listed) for listed in list_builtin(toolsets)}


@cache
def generator_digest(*more: str) -> str:
    """Digest the generator: toolgen's code and templates, and the libraries it generates with; and `more` folders.

    Independent of where toolgen is installed. Taken once in a process, which runs the code that it has loaded.
    """
    total = sha256()
    for name, path in sorted(_generator_files(*more)):
        total.update(f"{name} {_file_digest(path)}\n".encode())
    for library in _LIBRARIES:
        total.update(f"{library} {output_version(library)}\n".encode())
    return total.hexdigest()


def _generator_files(*more: str) -> Iterator[tuple[str, str]]:
    yield "__init__.py", os.path.join(_TOOLGEN, "__init__.py")
    for part in (*_GENERATOR_PARTS, *more):
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
    """Return the folder of the templates: inside an installed package, next to it in a checkout."""
    inside = os.path.join(_TOOLGEN, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_TOOLGEN), "templates")


def _digest_of(listed: Listed) -> str:
    return _UNREADABLE if listed.problem else _file_digest(listed.real)


def _file_digest(path: str) -> str:
    try:
        return digest(read_file(path, LARGEST))
    except OSError:
        return _UNREADABLE
