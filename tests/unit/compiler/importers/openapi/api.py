"""API descriptions for tests, and their imports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.unit.compiler.importers.importing import written
from tests.unit.compiler.specs import resolved
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.importers.openapi.files import Unreadable
from toolgen.compiler.importers.openapi.importing import Selection, import_openapi
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.read import SpecFile, parse
from toolgen.runtime.redact.spec_credentials import credential_in_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.compiler.importers.imported import Imported

TOOLSET = "shop.api"
OK: dict[str, Any] = {"responses": {"200": {"description": "It worked."}}}


@dataclass(frozen=True)
class Outcome:
    """The outcome of an import: the spec as data, and the diagnostics as `code message`."""

    imported: Imported | None
    data: dict[str, Any]
    messages: list[str]
    places: list[str]
    spec: str | SpecFile = "specs/api.yaml"

    @property
    def tools(self) -> dict[str, Any]:
        tools: dict[str, Any] = self.data["tools"]
        return tools

    @property
    def codes(self) -> list[str]:
        return [message[:5] for message in self.messages]

    @property
    def text(self) -> str:
        assert self.imported is not None, self.messages
        return written(self.imported, self.spec)


def openapi(paths: Mapping[str, Any], version: str = "3.1.0", **keys: Any) -> dict[str, Any]:
    """Return a description with these paths."""
    return {"openapi": version, "info": {"title": "Shop", "version": "1"}, "paths": paths, **keys}


def import_api(
    document: str | Mapping[str, Any],
    *,
    present: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    url: str = "",
    is_other: bool = False,
    files: Mapping[str, str] | None = None,
) -> Outcome:
    """Import a description, as text or as data; `present` is the text of the existing spec."""
    sink = Diagnostics()
    text = document if isinstance(document, str) else json.dumps(document)

    def read(_file: str, reference: str) -> Source:
        if files is None or reference not in files:
            raise Unreadable("there is no such file")
        return Source(reference, files[reference])

    root = parse(present, "specs/api.yaml", Diagnostics()) if present else None
    spec = SpecFile("specs/api.yaml", present, root) if root is not None else "specs/api.yaml"
    selection = Selection.of(include, exclude)
    source = Source("api.yaml", text)
    imported = import_openapi(
        source,
        url,
        read,
        spec,
        TOOLSET,
        selection,
        sink,
        profile="full",
        credential_in=credential_in_url,
        is_other=is_other,
    )
    data: dict[str, Any] = {}
    if imported is not None:
        made = parse(written(imported, spec), "specs/api.yaml", Diagnostics())
        assert made is not None
        data = made.to_data()
        found = resolved(written(imported, spec))
        assert not found.has_errors, found.messages
    messages = [f"{each.code} {each.message}" for each in sink]
    return Outcome(imported, data, messages, [str(each.span) for each in sink], spec)


def tool(operation: Mapping[str, Any], *, method: str = "get", path: str = "/x", **keys: Any) -> dict[str, Any]:
    """Import one operation and return its tool."""
    outcome = import_api(openapi({path: {method: {"operationId": "op", **OK, **operation}}}, **keys))
    assert outcome.messages == []
    made: dict[str, Any] = outcome.tools["op"]
    return made


def args_of(operation: Mapping[str, Any], **keys: Any) -> dict[str, Any]:
    """Return the args schema of one operation."""
    args: dict[str, Any] = tool(operation, **keys)["args"]
    return args


def parameter(name: str, place: str = "query", **keys: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {"type": "string"}, **keys}


def body(schema: Any, media_type: str = "application/json", **keys: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {media_type: {"schema": schema}}, **keys}}


def answer(schema: Any, status: str = "200") -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"responses": {status: {"description": "It worked.", "content": content}}}
