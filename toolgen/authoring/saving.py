"""Saving of a call: as a case of an evaluation, as an example of its tool, or in a recording, beside what people wrote.

`toolgen explore` starts this in a process of its own: an order on stdin, what became of it on stdout, both JSON.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolgen.authoring.diff.git import DiffError, SpecsError
from toolgen.authoring.diff.sides import working_tree
from toolgen.authoring.format.update import SpecTooLarge, inserted, new_text
from toolgen.compiler.compile import compile_files, read_files
from toolgen.compiler.diagnostics import Diagnostics, Severity
from toolgen.compiler.documents.base import Name
from toolgen.compiler.documents.evaluation import EvalFile
from toolgen.compiler.documents.read import read_document
from toolgen.compiler.project.cache import open_cache
from toolgen.compiler.project.config import ConfigError, load_config
from toolgen.compiler.project.listing import BUILTIN_PREFIX, EVALUATIONS, LARGEST, list_evaluations
from toolgen.compiler.source.read import SpecFile, parse, parse_spec
from toolgen.evaluate.cases import cases_of, read_evaluations
from toolgen.evaluate.drafting import call_of
from toolgen.runtime.redact.redacted import redacted_places
from toolgen.schema.json_values import canonical
from toolgen.spec.files import read_file_inside
from toolgen.spec.text import visible
from toolgen.spec.writing import PRIVATE, Changed, append_lines_inside, is_torn, place_inside, replace_inside
from toolgen.testing.recordings import (
    BEGINNINGS,
    RecordingError,
    Take,
    find_tool,
    is_store,
    key_of,
    recorded,
    schemas_line,
    schemas_of,
    take_line,
    take_of,
)

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostic
    from toolgen.compiler.project.config import Config
    from toolgen.compiler.source.nodes import Node
    from toolgen.runtime.catalog.catalog import Catalog

RECORDINGS: Final = "recordings"
"""The folder of a project that has the recordings which are saved."""

_LONGEST_NAME: Final = 100
_LARGEST_RECORDING: Final = 64 * 1024 * 1024
_BOM: Final = "\ufeff"


class CannotSave(Exception):
    """A call is not saved, and nothing was written. The message says why, with the place in a file if there is one."""


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a call was saved: a file, relative to the project, and a line of it, from 1."""

    file: str
    line: int


def save_case(config: Config, take: Take, name: str, key: str, question: str) -> Saved:
    """Save a call as the case `key` of `evals/NAME.eval.yaml`; args with redacted values must only be given.

    A missing file is created. Raises `CannotSave`, ValueError and `SpecTooLarge` for values that no file can have,
    `Changed` for a file that somebody else has written meanwhile, and OSError.
    """
    path = f"{EVALUATIONS}/{_checked_name(name)}.eval.yaml"
    catalogs = _catalogs(config)
    _with_tool(take, catalogs)
    call = call_of(take)
    args = {side: dict(values) for side, values in (("args", call.args), ("fields", call.fields)) if values}
    case = {"question": question, "expect": [{"call": call.ident, **args}]}
    before = _read(config.root, path)
    if before is None:
        text = new_text(path, {"toolgen": 1, "eval": name, "cases": {key: case}}, "")
        line = _parsed(path, text).root.span_at(("cases", key), key=True).line
    else:
        file = _parsed(path, before)
        _refuse_present(file.root, ("cases", key), f"the case `{key}` is there already: choose another key")
        _check_case(config, path, before, catalogs)
        text, line = inserted(file, ("cases", key), case)
    _check_case(config, path, text, catalogs)
    _write(config.root, path, before, text)
    return Saved(path, line)


def save_example(config: Config, take: Take) -> Saved:
    """Save a call, with its result, as an example of its tool in the spec. Raises as `save_case`."""
    if take.error is not None:
        raise CannotSave("the call has failed: an example is a call that ends well")
    example = {"args": take.arguments, "result": take.result}
    if places := redacted_places(example):
        raise CannotSave(f"a value was redacted ({', '.join(places)}), and an example has values")
    catalog = _with_tool(take, _catalogs(config))
    toolset = catalog.toolset_of(take.ident)
    path = ("tools", take.ident.removeprefix(f"{toolset}."))
    for target in config.targets:
        sink = Diagnostics()
        files = read_files(config.root, target, sink)
        _refuse_errors(sink)
        for index, file in enumerate(files):
            if _data_at(file.root, ("toolset",)) == toolset and _data_at(file.root, path) is not None:
                if file.path.startswith(BUILTIN_PREFIX):
                    raise CannotSave(f"{take.ident} is built in: its examples are not the project's")
                known = len(_data_at(file.root, (*path, "examples")) or ())
                text = _with_example(file, path, example)
                made = SpecFile(file.path, text, _parsed(file.path, text).root)
                compile_files([*files[:index], made, *files[index + 1 :]], target, sink, cache=open_cache(config.root))
                _refuse_errors(sink)
                _write(config.root, file.path, file.text, text)
                return Saved(file.path, made.root.span_at((*path, "examples", known)).line)
    raise CannotSave(f"no spec of the project has the tool {take.ident}")


def _with_example(file: SpecFile, tool: tuple[str, ...], example: Mapping[str, Any]) -> str:
    """Return the text of a spec with another example of a tool. Raises `CannotSave` if it is there."""
    known = _data_at(file.root, (*tool, "examples"))
    for index, each in enumerate(known or ()):
        if key_of(each.get("args", {})) == key_of(example["args"]):
            _refuse_present(file.root, (*tool, "examples", index), "an example with these args is there already")
    if known is None:
        return inserted(file, (*tool, "examples"), [example])[0]
    return inserted(file, (*tool, "examples", len(known)), example)[0]


def save_recording(config: Config, take: Take, name: str) -> Saved:
    """Append a call, with its result or error, to `recordings/NAME.jsonl`; a missing file is created.

    What is redacted in its args stands for anything there. Raises as `save_case`.
    """
    path = f"{RECORDINGS}/{_checked_name(name)}.jsonl"
    catalog = _with_tool(take, _catalogs(config))
    if take.stale:
        raise CannotSave(take.stale)
    place = Path(place_inside(config.root, path))
    schemas = schemas_of(take, catalog)
    begun = None
    if place.exists():
        begun = read_file_inside(place, config.root, _LARGEST_RECORDING)
        try:
            known = _schemas_in(place, take, catalog)
        except (CannotSave, RecordingError) as error:
            raise CannotSave(f"{RECORDINGS}/{error}") from None
        schemas = {} if canonical(known) == canonical(schemas) else schemas
    above = schemas_line(take.ident, schemas) if schemas else b""
    content = above + take_line(take)
    *lines, last = (begun or b"").split(b"\n")
    if begun:
        append_lines_inside(config.root, path, content, beginnings=BEGINNINGS, size=len(begun))
    else:
        replace_inside(config.root, path, begun, content, mode=PRIVATE)
    is_line = bool(last) and not is_torn(last, BEGINNINGS)
    return Saved(path, len(lines) + is_line + above.count(b"\n") + 1)


def _schemas_in(place: Path, take: Take, catalog: Catalog) -> Mapping[str, Any]:
    """Return the schemas that a recording has last of the tool of a call. Raises `CannotSave` if it has the call."""
    if is_store(str(place)):
        raise CannotSave(f"{place.name} is a store, which the runtime writes")
    known: Mapping[str, Any] = {}
    for each in recorded(place).takes:
        if each.tool == take.ident:
            known = each.schemas
            find_tool(each, catalog)
            if take_line(each) == take_line(take):
                raise CannotSave(f"{each.place}: this call is there already, with this end")
    return known


def _catalogs(config: Config) -> Sequence[Catalog]:
    """Return the catalogs that the specs compile to. Raises `CannotSave` with the first error of specs."""
    try:
        return [each.catalog for each in working_tree(config, open_cache(config.root)).packages.values()]
    except SpecsError as error:
        raise CannotSave(_told(next(iter(error.diagnostics)))) from None


def _with_tool(take: Take, catalogs: Sequence[Catalog]) -> Catalog:
    """Return the first catalog that has the tool of a call, which is found there."""
    for catalog in catalogs:
        find_tool(take, catalog)
        if take.ident:
            return catalog
    raise CannotSave(take.stale)


def _check_case(config: Config, path: str, text: str, catalogs: Sequence[Catalog]) -> None:
    """Check an evaluation beside the others, as a build does. Raises `CannotSave` with the first error of its own."""
    others = {other: each for other, each in list_evaluations(config.root).items() if other != path}
    sink = Diagnostics()
    document = read_document(_parsed(path, text), EvalFile, sink)
    known = read_evaluations(others, Diagnostics())
    cases_of(known if document is None else [*known, document], catalogs, sink)
    _refuse_errors(sink, path)


def _checked_name(name: str) -> str:
    if len(name) > _LONGEST_NAME or not re.fullmatch(Name, name):
        raise CannotSave("the name of a file is of letters, digits, `_` and `-`, and starts with a letter")
    return name


def _parsed(path: str, text: str) -> SpecFile:
    sink = Diagnostics()
    file = parse_spec(path, text, sink)
    _refuse_errors(sink)
    if file is None:
        raise CannotSave(f"{path}: it cannot be read")
    return file


def _refuse_errors(sink: Diagnostics, path: str = "") -> None:
    """Raise `CannotSave` with the first error, of one file if `path` is given."""
    for each in sink:
        if each.severity is Severity.ERROR and path in ("", each.span.file):
            raise CannotSave(_told(each))


def _told(found: Diagnostic) -> str:
    return f"{found.span}: {found.message}{f' ({found.fix})' if found.fix else ''}"


def _refuse_present(root: Node, path: tuple[str | int, ...], message: str) -> None:
    if _at(root, path) is not None:
        raise CannotSave(f"{root.span_at(path, key=isinstance(path[-1], str))}: {message}")


def _at(root: Node, path: Sequence[str | int]) -> Node | None:
    node: Node | None = root
    for step in path:
        node = None if node is None else node.child(step)
    return node


def _data_at(root: Node, path: Sequence[str | int]) -> Any:
    node = _at(root, path)
    return None if node is None else node.to_data()


def _read(root: Path, path: str) -> str | None:
    """Return the text of a file below a folder, without a byte order mark; None if there is none."""
    try:
        content = read_file_inside(root / path, root, LARGEST)
    except FileNotFoundError:
        return None
    try:
        return content.decode().removeprefix(_BOM)
    except UnicodeDecodeError:
        parse(content, path, sink := Diagnostics())
        _refuse_errors(sink)
        raise


def _write(root: Path, path: str, before: str | None, text: str) -> None:
    """Write a text in place of the one that was read; None for none. Raises `Changed` if another is there now."""
    replace_inside(root, path, None if before is None else before.encode(), text.encode(), mode=PRIVATE)


_KINDS: Final[Mapping[str, Callable[[Config, Take, Mapping[str, str]], Saved]]] = {
    "case": lambda config, take, order: save_case(config, take, order["name"], order["key"], order["question"]),
    "example": lambda config, take, _order: save_example(config, take),
    "recording": lambda config, take, order: save_recording(config, take, order["name"]),
}


def save(root: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    """Follow an order: `kind`, the `call` as a line of a recording, its `place`, and what the kind takes."""
    try:
        json.dumps(order, ensure_ascii=False).encode()
        config = load_config(root)
        saved = _KINDS[order["kind"]](config, take_of(order["call"], order["place"]), order)
    except UnicodeEncodeError:
        return {"problem": "half of a surrogate pair is not a character"}
    except (CannotSave, SpecTooLarge, ConfigError, DiffError, ValueError) as error:
        return {"problem": visible(str(error))}
    except Changed as error:
        return {"problem": visible(f"{error.filename} has changed meanwhile: try again")}
    except OSError as error:
        return {"problem": visible(f"{error.filename or 'a file'}: {error.strerror or error}")}
    return {"problem": "", "file": saved.file, "line": saved.line}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(save(Path.cwd(), json.load(sys.stdin))))
