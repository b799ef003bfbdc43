"""Reading of spec files: finding them, decoding their text, parsing it. Nothing else in the compiler reads specs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Diagnostics, Span
from toolgen.compiler.project.listing import LEADS_OUT, LEAVES_PROJECT, list_builtin, list_specs
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.yaml_text import parse_yaml
from toolgen.spec.files import NotRegular, TooLarge, read_file

if TYPE_CHECKING:
    from toolgen.compiler.project.listing import Listed
    from toolgen.compiler.source.nodes import Node

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BOM: Final = "\ufeff"
_FIXES: Final = {
    LEADS_OUT: "replace the link by the file itself",
    LEAVES_PROJECT: "replace the link by the spec folder itself",
}


@dataclass(frozen=True, slots=True)
class SpecFile:
    """One spec file. `path` is as shown in messages: relative to the project, with `/`, or of a built-in toolset.

    Spans refer to `text`.
    """

    path: str
    text: str
    root: Node


def read_specs(root: Path, base: Path, sink: Diagnostics) -> list[SpecFile]:
    """Read and parse every spec under `root`, as `read_texts` and `parse_spec` do."""
    texts = read_texts(root, base, sink)
    return [spec for path, text in texts.items() if (spec := parse_spec(path, text, sink))]


def read_texts(root: Path, base: Path, sink: Diagnostics) -> dict[str, str]:
    """Read every spec under `root`, by path, in order; paths are shown relative to `base`.

    Names that start with a dot are skipped. A symbolic link in `root` may point elsewhere inside `root`, and `root` may
    be a link to another folder inside `base`; no file is read twice. Files that cannot be read are reported and
    omitted. The text of every file is added to the sink, to quote from.
    """
    shown = {Path(os.path.relpath(root / listed.path, base)).as_posix(): listed for listed in list_specs(root, base)}
    return read_listed(shown, sink)


def read_builtin(toolsets: Iterable[str], sink: Diagnostics) -> dict[str, str]:
    """Read the specs of built-in toolsets, by path. Unreadable ones are reported and omitted."""
    return read_listed({listed.path: listed for listed in list_builtin(toolsets)}, sink)


def parse_spec(path: str, text: str, sink: Diagnostics) -> SpecFile | None:
    """Parse a spec; None if that is not possible.

    Every problem is reported; a file with errors that leave it readable is kept, so that later stages report theirs.
    """
    return parse_source(Source(path, text), sink)


def parse_source(source: Source, sink: Diagnostics) -> SpecFile | None:
    """Parse a source as `parse_spec` does."""
    node = _parse(source, sink)
    return None if node is None else SpecFile(source.path, source.text, node)


def parse(text: str | bytes, path: str, sink: Diagnostics) -> Node | None:
    """Parse a text as JSON if `path` ends in `.json`, else as YAML. Returns None if it cannot be parsed.

    Every problem is reported to the sink.
    """
    decoded = _decode(text, path, sink)
    return None if decoded is None else _parse(Source(path, decoded), sink)


def read_listed(listed: Mapping[str, Listed], sink: Diagnostics) -> dict[str, str]:
    """Read listed files, by the paths under which they are shown. Unreadable ones are reported and omitted."""
    found = {path: text for path, each in listed.items() if (text := _read(each, path, sink)) is not None}
    sink.sources.update(found)
    return found


def _parse(source: Source, sink: Diagnostics) -> Node | None:
    found = Diagnostics()
    if source.path.lower().endswith(".json"):
        node = parse_json(source, found, start='{"toolgen": 1}')
    else:
        node = parse_yaml(source, found, start="toolgen: 1")
    source.has_findings |= sink.take(found)
    return node


def _decode(data: str | bytes, path: str, sink: Diagnostics) -> str | None:
    """Decode UTF-8, without a byte order mark."""
    size = len(data.encode("utf-8", "surrogatepass")) if isinstance(data, str) else len(data)
    if size > MAX_BYTES:
        _report_size(path, sink)
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
        sink.report("TG008", span, "half of a surrogate pair is not a character", fix="remove it")
        return None
    return text


def _report_size(path: str, sink: Diagnostics) -> None:
    sink.report("TG002", Span(path), f"this file is over {MAX_BYTES:,} bytes", fix="split it into several files")


def _read(listed: Listed, shown: str, sink: Diagnostics) -> str | None:
    if listed.problem:
        sink.report("TG001", Span(shown), listed.problem, fix=_FIXES.get(listed.problem, ""))
        return None
    if _SURROGATE.search(shown):
        shown = shown.encode("utf-8", "backslashreplace").decode("utf-8")
        sink.report("TG001", Span(shown), "the name of this file is not UTF-8 text", fix="rename it")
        return None
    try:
        data = read_file(listed.real, MAX_BYTES, follow=False)
    except TooLarge:
        _report_size(shown, sink)
        return None
    except NotRegular:
        sink.report("TG001", Span(shown), "this is not a regular file", fix="replace it by the spec file itself")
        return None
    except OSError as error:
        sink.report("TG001", Span(shown), f"this file cannot be read: {error.strerror}")
        return None
    return _decode(data, shown, sink)
