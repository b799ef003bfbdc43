"""`toolgen import openapi`: an HTTP API as a spec; one at a URL needs the extra `http`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import click

from toolgen.changes.suspicions import OtherTools
from toolgen.cli.importers.importer import LARGEST, Importer, Request, shown_path
from toolgen.cli.importers.spec_place import kept_path, stored_path
from toolgen.cli.names import STDIN, read_named
from toolgen.compiler.diagnostics.diagnostic import Span
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.importers.update import origin_of
from toolgen.compiler.source.nodes import Source
from toolgen.contract.extras import MissingExtra
from toolgen.runtime.base import received
from toolgen.runtime.base.received import TooMuch, check_json
from toolgen.runtime.redact.spec_credentials import credential_in_url
from toolgen.spec.files import read_file

if TYPE_CHECKING:
    from toolgen.compiler.importers.imported import Imported

_VALUES: Final = 3_000_000
"""JSON values, and lines, of each file; the largest published descriptions have some hundred thousand."""


@dataclass(frozen=True, slots=True)
class Found:
    """A description, the files beside it, which of its operations are selected, and what the spec keeps of that."""

    text: Source
    files: DescriptionFiles
    selection: Selection
    origin: Mapping[str, Any]
    is_other: bool
    """Whether the spec names another description, or none."""


class OpenApiImporter(Importer[Request, Found]):
    """Write a spec of the operations of an HTTP API, described in FILE (`-` for stdin) or at URL.

    Descriptions are OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0, as JSON or YAML. The spec keeps where they are and the
    patterns of operations, so --toolset alone imports again.

    An invalid operation is reported and omitted. If the spec exists, it is updated: what the last import wrote follows
    the description, and what was edited by hand stays. With --check, nothing is written; without --toolset, all
    toolsets of the project that were imported so are compared.
    """

    name = "openapi"
    kind = "http"
    origin = "a description"
    arguments = (click.Argument(["source"], metavar="FILE|URL", required=False),)
    options = (
        click.Option(
            ["--include"], multiple=True, metavar="tag:T|path:P|operation:O", help="Import only these operations."
        ),
        click.Option(
            ["--exclude"], multiple=True, metavar="tag:T|path:P|operation:O", help="Leave these operations out."
        ),
    )
    left_out = frozenset({"TG831"})
    invalid_name = "`{}` is not a valid toolset name for an API: {}."
    toolset_help = "The toolset to import the operations into."

    def read(self, request: Request) -> Found:
        """Read the description; options that are left out are those that the spec keeps."""
        source: str | None = request.options["source"]
        root, kept = request.config.root, request.place.origin
        if source is None and "openapi" not in kept:
            raise click.UsageError(f"There is nothing to import into {request.toolset}: give FILE or URL.")
        include = request.options["include"] or kept.get("include", ())
        exclude = request.options["exclude"] or kept.get("exclude", ())
        try:
            selection = Selection.of(include, exclude)
        except ValueError as error:
            raise click.UsageError(f"{error}.") from error
        named = kept.get("openapi", "") if source is None else _stored(source, root)
        stored = named or kept.get("openapi")
        origin = {"openapi": stored, "include": list(include), "exclude": list(exclude)}
        files = DescriptionFiles(root, source if source is not None else _named(kept["openapi"], root), request.texts)
        origin = {key: value for key, value in origin.items() if value}
        asked, text = files.url, files.first()
        if isinstance(request.spec, str) and origin_of(asked) != origin_of(files.url):
            message = f"{asked} redirects to {files.url}: a server that has no host in the description is at that one"
            request.sink.report("TG848", Span(text.path), message, fix="look at `base_url` before you make calls")
        return Found(text, files, selection, origin, is_other=named != kept.get("openapi", ""))

    def tools(self, found: Found, request: Request) -> Imported | None:
        """Make a tool of each operation that is selected."""
        return import_openapi(
            found.text,
            found.files.url,
            found.files.read,
            request.spec,
            request.toolset,
            found.selection,
            request.sink,
            profile=request.place.target.profile,
            credential_in=credential_in_url,
            origin=found.origin,
            is_other=found.is_other,
            neighbours=OtherTools(request.place.others),
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
    if place := credential_in_url(source):
        raise click.UsageError(f"{place} has a credential, and specs are committed: save the description to a file.")
    return source


class DescriptionFiles:
    """The files of a description: of the folder of the first one, or of the host of its URL.

    `texts` gets the texts that are read, by the path shown in messages.
    """

    def __init__(self, project: Path, source: str, texts: dict[str, str]) -> None:
        self._project, self._source = project, source
        self.url = source if _is_url(source) else ""
        self._files: dict[str, Path] = {}
        self._root = project if source == STDIN else Path(source).absolute().parent
        self._texts = texts
        self._fetched: dict[str, Source] = {}

    def first(self) -> Source:
        """Read the description. Raises click.UsageError."""
        try:
            if self.url:
                found = self._of_url(self.url)
                self._fetched[self.url] = self._fetched[found.path] = found
                self.url = found.path
                return found
            path = Path(self._source).absolute()
            shown = shown_path(self._source, self._project)
            self._files[shown] = self._root / "stdin" if self._source == STDIN else path
            return self._decoded(shown, read_named(self._source, LARGEST))
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
        shown = shown_path(str(path), self._project)
        self._files[shown] = path
        try:
            return self._decoded(shown, read_file(path, LARGEST))
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
            found, data = read_document(url, LARGEST, check)
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
