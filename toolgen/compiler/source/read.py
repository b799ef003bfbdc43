"""Reading spec files: which ones there are, their text, and its nodes. Nothing else in the compiler reads specs."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics import Span
from toolgen.compiler.listing import LEADS_OUT, LEAVES_PROJECT, list_builtin, list_specs
from toolgen.compiler.source.json_text import parse_json
from toolgen.compiler.source.limits import MAX_BYTES
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.yaml_text import parse_yaml
from toolgen.spec.files import NotRegular, TooLarge, read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.listing import Listed
    from toolgen.compiler.source.nodes import Node

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BOM: Final = "\ufeff"
_FIXES: Final = {LEADS_OUT: "put the file itself here", LEAVES_PROJECT: "put the specs themselves here"}


@dataclass(frozen=True, slots=True)
class SpecFile:
    """One spec file. `path` is as it is shown: relative to the project, with `/`, or of a built-in toolset.

    Places count in `text`.
    """

    path: str
    text: str
    root: Node


def read_specs(root: Path, base: Path, sink: Diagnostics) -> list[SpecFile]:
    """Read every spec under `root`, in the order of their paths, which are shown relative to `base`.

    Names that start with a dot are passed over. A symbolic link in `root` may lead to another place there, and a link
    under `base` that is `root` itself to another place in `base`; no file is read twice. Files that cannot be read are
    reported and left out; so is a file with an error past which there is no reading on. Other errors leave a file in,
    so that later stages can find theirs. The sink is given the text of every file that was read, to quote from.
    """
    specs: list[SpecFile] = []
    for listed in list_specs(root, base):
        shown = Path(os.path.relpath(root / listed.path, base)).as_posix()
        if spec := _read_spec(listed, shown, sink):
            specs.append(spec)
    return specs


def read_builtin(toolsets: Iterable[str], sink: Diagnostics) -> list[SpecFile]:
    """Read the specs of built-in toolsets. Those that cannot be read are reported and left out."""
    found = (_read_spec(listed, listed.path, sink) for listed in list_builtin(toolsets))
    return [spec for spec in found if spec]


def parse(text: str | bytes, path: str, sink: Diagnostics) -> Node | None:
    """Read a text as JSON if `path` ends in `.json`, else as YAML. None where nothing could be made of it.

    Whenever the result is None, and for whatever is wrong in a result, there is an error in the sink.
    """
    decoded = _decode(text, path, sink)
    return None if decoded is None else _parse(Source(path, decoded), sink)


def _read_spec(listed: Listed, shown: str, sink: Diagnostics) -> SpecFile | None:
    text = _read(listed, shown, sink)
    if text is None:
        return None
    sink.sources[shown] = text
    node = _parse(Source(shown, text), sink)
    return None if node is None else SpecFile(shown, text, node)


def _parse(source: Source, sink: Diagnostics) -> Node | None:
    reader = parse_json if source.path.lower().endswith(".json") else parse_yaml
    return reader(source, sink)


def _decode(data: str | bytes, path: str, sink: Diagnostics) -> str | None:
    """Give the text without a byte order mark."""
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
        sink.report("TG008", span, "half of a surrogate pair is no character", fix="leave it out")
        return None
    return text


def _report_size(path: str, sink: Diagnostics) -> None:
    sink.report("TG002", Span(path), f"this is over {MAX_BYTES:,} bytes", fix="split it into several files")


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
        sink.report("TG001", Span(shown), "this is not a regular file", fix="put the spec itself here")
        return None
    except OSError as error:
        sink.report("TG001", Span(shown), f"this file cannot be read: {error.strerror}")
        return None
    return _decode(data, shown, sink)
