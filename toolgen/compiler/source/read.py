"""Reading spec files: which ones there are, their text, and its nodes. Nothing else in the compiler reads specs."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Span
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.yaml_text import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import Node

SUFFIXES: Final = (".yaml", ".yml", ".json")

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class SpecFile:
    """One spec file. `path` is as it is shown: relative to the project, with `/`. Places count in `text`."""

    path: str
    text: str
    root: Node


def read_specs(root: Path, base: Path, sink: Diagnostics) -> list[SpecFile]:
    """Read every spec under `root`, in the order of their paths, which are shown relative to `base`.

    Names that start with a dot are passed over. A symbolic link may lead to another place under `root`, and no file is
    read twice. Files that cannot be read are reported and left out; so is a file with an error past which there is no
    reading on. Other errors leave a file in, so that later stages can find theirs.
    """
    specs: list[SpecFile] = []
    for shown, file in sorted(_find(root, base, sink)):
        text = _read(file, shown, sink)
        if text is None:
            continue
        node = _parse(Source(shown, text), sink)
        if node is not None:
            specs.append(SpecFile(shown, text, node))
    return specs


def parse(text: str | bytes, path: str, sink: Diagnostics) -> Node | None:
    """Read a text as JSON if `path` ends in `.json`, else as YAML. None where nothing could be made of it.

    Whenever the result is None, and for whatever is wrong in a result, there is an error in the sink.
    """
    decoded = _decode(text, path, sink)
    return None if decoded is None else _parse(Source(path, decoded), sink)


def _parse(source: Source, sink: Diagnostics) -> Node | None:
    reader = parse_json if source.path.lower().endswith(".json") else parse_yaml
    return reader(source, sink)


def _decode(data: str | bytes, path: str, sink: Diagnostics) -> str | None:
    """Give the text without a byte order mark."""
    size = len(data.encode("utf-8", "surrogatepass")) if isinstance(data, str) else len(data)
    if size > MAX_BYTES:
        sink.report("TG002", Span(path), f"this is over {MAX_BYTES:,} bytes", fix="split it into several files")
        return None
    if isinstance(data, str):
        text = data
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = Source(path, data[: error.start].decode("utf-8").removeprefix(_BOM))
            span = before.span(len(before.text), len(before.text))
            found = f"the byte 0x{data[error.start]:02x} is not UTF-8 text"
            sink.report("TG001", span, found, fix="save the file as UTF-8")
            return None
    text = text.removeprefix(_BOM)
    if surrogate := _SURROGATE.search(text):
        span = Source(path, text).span(surrogate.start(), surrogate.end())
        sink.report("TG008", span, "half of a surrogate pair is no character", fix="leave it out")
        return None
    return text


def _read(file: Path, shown: str, sink: Diagnostics) -> str | None:
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            sink.report("TG001", Span(shown), "this is not a regular file", fix="put the spec itself here")
            return None
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        sink.report("TG001", Span(shown), f"this file cannot be read: {error.strerror}")
        return None
    return _decode(data, shown, sink)


def _find(root: Path, base: Path, sink: Diagnostics) -> Iterator[tuple[str, Path]]:
    """Give the shown path and the real path of each spec, each file once: under its own name rather than a link's."""
    home = Path(os.path.realpath(root))
    seen: set[Path] = set()
    places, links = [root], list[Path]()
    while places or links:
        is_link = not places
        place = links.pop(0) if is_link else places.pop()
        real = Path(os.path.realpath(place))
        if real in seen:
            continue
        seen.add(real)
        shown = _shown(place, base)
        if is_link and not real.is_relative_to(home):
            sink.report("TG001", Span(shown), "this link leads out of the spec folder", fix="put the file itself here")
        elif _SURROGATE.search(shown):
            shown = shown.encode("utf-8", "backslashreplace").decode("utf-8")
            sink.report("TG001", Span(shown), "the name of this file is not UTF-8 text", fix="rename it")
        elif place != root and not _is_folder(real):
            yield shown, real
        else:
            for entry in _entries(place, shown, sink):
                (links if entry.is_symlink() else places).append(entry)


def _entries(folder: Path, shown: str, sink: Diagnostics) -> list[Path]:
    """What of a folder can be a spec or hold one."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        sink.report("TG001", Span(shown), f"this folder cannot be read: {error.strerror}")
        return []
    visible = [entry for entry in entries if not entry.name.startswith(".")]
    return [entry for entry in visible if entry.name.lower().endswith(SUFFIXES) or _is_folder(entry)]


def _is_folder(path: Path) -> bool:
    """Whether this is a folder, as far as one can see: a link that leads in circles is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _shown(path: Path, base: Path) -> str:
    return Path(os.path.relpath(path, base)).as_posix()
