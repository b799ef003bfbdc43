"""`toolgen import openapi`: an HTTP API as a spec; one at a URL needs the extra `http`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import click

from toolgen.cli.commands.specs.checked import check_each, checked_import, exit_code, show_checked
from toolgen.cli.commands.specs.imported import imported_json, show_imported, show_variables
from toolgen.cli.commands.specs.spec_place import kept_path, origins, spec_place, stored_path
from toolgen.cli.named_files import STDIN, read_named
from toolgen.cli.output import diagnostics_json, format_option, show_grouped, show_json
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.importers.trial import try_name
from toolgen.compiler.project.config import load_config
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base import received
from toolgen.runtime.base.received import TooMuch, check_json
from toolgen.runtime.redact.redact import redact_text
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolgen.cli.commands.specs.checked import Checked
    from toolgen.cli.commands.specs.spec_place import SpecPlace
    from toolgen.compiler.importers.imported import Imported
    from toolgen.compiler.project.config import Config

_LARGEST: Final = 64 * 1024 * 1024
"""Maximum size in bytes of each file. The spec that is written may have 10 MB."""

_VALUES: Final = 3_000_000
"""JSON values, and lines, of each file; the largest published descriptions have some hundred thousand."""


@click.command("openapi")
@click.argument("source", metavar="FILE|URL", required=False)
@click.option("--toolset", metavar="NAME", help="The toolset to import the operations into.")
@click.option("--include", multiple=True, metavar="tag:T|path:P|operation:O", help="Import only these operations.")
@click.option("--exclude", multiple=True, metavar="tag:T|path:P|operation:O", help="Leave these operations out.")
@click.option(
    "--out", metavar="PATH", help="The spec to write. Default: the file that has the toolset, or specs/NAME.yaml."
)
@click.option("--check", is_flag=True, help="Only compare with the specs; exit with 1 for a change.")
@format_option
def openapi(
    *,
    source: str | None,
    toolset: str | None,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    out: str | None,
    check: bool,
    output_format: str,
) -> int:
    """Write a spec of the operations of an HTTP API, described in FILE (`-` for stdin) or at URL.

    Descriptions are OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0, as JSON or YAML. The spec keeps where they are and the
    patterns of operations, so --toolset alone imports again.

    An invalid operation is reported and omitted. If the spec exists, it is updated: what the last import wrote follows
    the description, and what was edited by hand stays. With --check, nothing is written; without --toolset, all
    toolsets of the project that were imported so are compared.
    """
    config = load_config(Path.cwd())
    if toolset is None and (not check or source is not None):
        raise click.MissingParameter(param_hint="'--toolset'", param_type="option")
    if check:
        names = origins(config, "openapi") if toolset is None else [toolset]
        if not names:
            raise click.UsageError("No toolset of this project was imported from a description: give --toolset.")

        def check_one(name: str) -> Checked:
            made = _Import.of(config, name, source, include, exclude, out)
            return checked_import(made.place, name, made.run(), made.sink)

        checked = [check_one(toolset)] if toolset is not None else check_each(names, check_one)
        if output_format == "json":
            show_json({"toolsets": [each.to_json() for each in checked]})
            return exit_code(checked)
        return show_checked(checked)
    assert toolset is not None, "only --check does without"
    made = _Import.of(config, toolset, source, include, exclude, out)
    place, sink, imported = made.place, made.sink, made.run()
    if imported is not None:
        place.write(place.text_of(imported))
    if output_format == "json":
        written = {"file": place.path, **imported_json(imported)} if imported else {"file": None}
        show_json(written | {"diagnostics": diagnostics_json(sink)})
    else:
        present = {place.path: place.present.text} if place.present else {}
        show_grouped(sink, {**made.reader.texts, **present}, everything="--format json")
        show_imported(place.path, imported, left_out=sum(found.code == "TG831" for found in sink))
        if imported is not None:
            show_variables(imported.data)
    return 1 if sink.has_errors or imported is None or imported.is_incomplete else 0


@dataclass(frozen=True, slots=True)
class _Import:
    """One import: where the description is, which of its operations are selected, and the spec."""

    place: SpecPlace
    toolset: str
    reader: _Reader
    selection: Selection
    origin: Mapping[str, Any]
    sink: Diagnostics

    @classmethod
    def of(
        cls,
        config: Config,
        toolset: str,
        source: str | None,
        include: Sequence[str],
        exclude: Sequence[str],
        out: str | None,
    ) -> _Import:
        """Complete the options by what the spec keeps. Raises click.UsageError."""
        if problems := try_name(toolset, "http"):
            raise click.UsageError(f"`{toolset}` is not a valid toolset name for an API: {problems[0]}.")
        place = spec_place(config, toolset, out, stem=toolset)
        kept = place.origin
        if source is None and "openapi" not in kept:
            raise click.UsageError(f"There is nothing to import into {toolset}: give FILE or URL.")
        include, exclude = include or kept.get("include", ()), exclude or kept.get("exclude", ())
        try:
            selection = Selection.of(include, exclude)
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
        origin = {
            "openapi": _stored(source, config.root) or kept.get("openapi") if source is not None else kept["openapi"],
            "include": list(include),
            "exclude": list(exclude),
        }
        named = source if source is not None else _named(kept["openapi"], config.root)
        written = {key: value for key, value in origin.items() if value}
        return cls(place, toolset, _Reader(config.root, named), selection, written, Diagnostics())

    def run(self) -> Imported | None:
        """Read the description, and return what becomes of the spec. Raises click.UsageError."""
        text = self.reader.first()
        return import_openapi(
            text,
            self.reader.url,
            self.reader.read,
            self.place.present or self.place.path,
            self.toolset,
            self.selection,
            self.sink,
            profile=self.place.target.profile,
            origin=self.origin,
        )


def _is_hidden(path: Path) -> bool:
    """Return whether a path, such as `.env` or `.git/config`, is of a file that people and tools keep to themselves."""
    return any(part.startswith(".") for part in path.parts)


def _is_url(source: str) -> bool:
    return urlsplit(source).scheme in ("http", "https")


def _named(stored: str, root: Path) -> str:
    """Return the source that a spec keeps, as it is named on the command line. Raises click.UsageError."""
    return stored if _is_url(stored) else kept_path(stored, root)


def _stored(source: str, root: Path) -> str:
    """Return a source as a spec keeps it. Raises click.UsageError for a credential."""
    if not _is_url(source):
        return stored_path(source, root)
    if redact_text(source) != source:
        shown = redact_text(source)
        raise click.UsageError(f"{shown} has a credential, and specs are committed: save the description to a file.")
    return source


class _Reader:
    """Reads the files of a description: of the folder of the first one, or of the host of its URL."""

    def __init__(self, project: Path, source: str) -> None:
        self._project, self._source = project, source
        self.url = source if _is_url(source) else ""
        self._files: dict[str, Path] = {}
        self._root = project if source == STDIN else Path(source).absolute().parent
        self._texts: dict[str, str] = {}
        self._fetched: dict[str, Source] = {}

    @property
    def texts(self) -> Mapping[str, str]:
        """The texts that were read, by the path shown in messages."""
        return self._texts

    def first(self) -> Source:
        """Read the description. Raises click.UsageError."""
        try:
            if self.url:
                found = self._of_url(self.url)
                self._fetched[self.url] = self._fetched[found.path] = found
                self.url = found.path
                return found
            path = Path(self._source).absolute()
            shown = "<stdin>" if self._source == STDIN else self._shown(path)
            self._files[shown] = self._root / "stdin" if self._source == STDIN else path
            return self._decoded(shown, read_named(self._source, _LARGEST))
        except Unreadable as error:
            raise click.UsageError(f"{self._source} cannot be read: {error}.") from error

    def read(self, file: str, reference: str) -> Source:
        """Read a file that another refers to. Raises `Unreadable`."""
        is_url = urlsplit(reference).scheme in ("http", "https")
        if self.url:
            url = urldefrag(urljoin(file, reference)).url
            if url not in self._fetched:
                found = self._of_url(url, self._check_host)
                self._fetched[url] = self._fetched[found.path] = found
            return self._fetched[url]
        if is_url:
            raise Unreadable("a file refers to files only: import the description from its URL, or save this one")
        path = (self._files[file].parent / unquote(reference)).resolve()
        roots = [root for each in (self._root, self._project) if path.is_relative_to(root := each.resolve())]
        if not roots:
            raise Unreadable("it is outside the folder of the description and the project")
        if all(_is_hidden(path.relative_to(root)) for root in roots):
            raise Unreadable("it is a hidden file, or in a hidden folder: name it without a dot, or save it elsewhere")
        shown = self._shown(path)
        self._files[shown] = path
        try:
            return self._decoded(shown, read_file(path, _LARGEST))
        except OSError as error:
            raise Unreadable(error.strerror or str(error)) from error
        except ValueError as error:  # a null character in the name
            raise Unreadable(str(error)) from error

    def _of_url(self, url: str, check: Callable[[str], None] = lambda _: None) -> Source:
        try:
            import httpx2

            from toolgen.execute.http.document import read_document
        except ImportError as error:
            raise click.UsageError(str(MissingExtra("imports from a URL need httpx2", "http"))) from error
        try:
            found, data = read_document(url, _LARGEST, check)
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, TooMuch, received.Unreadable) as error:
            raise Unreadable(str(error) or type(error).__name__) from error
        return self._decoded(found, data)

    def _check_host(self, url: str) -> None:
        if urlsplit(url)[:2] != urlsplit(self.url)[:2]:
            raise Unreadable("it is on another host")

    def _decoded(self, shown: str, data: bytes) -> Source:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Unreadable(f"it is not UTF-8 text: {error.reason} at byte {error.start}") from error
        try:
            check_json(data, _VALUES)
        except TooMuch as error:
            raise Unreadable(str(error).replace("the answer", "it")) from error
        if data.count(b"\n") > _VALUES:
            raise Unreadable(f"it has more than {_VALUES:,} lines")
        self._texts[shown] = text
        return Source(shown, text)

    def _shown(self, path: Path) -> str:
        """The path shown in messages: relative to the project if the file is inside it."""
        return path.relative_to(self._project).as_posix() if path.is_relative_to(self._project) else str(path)
