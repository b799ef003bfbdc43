"""Resolve: documents in, one frozen `Catalog` of IR out. No files are read or written here."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.documents.action_catalog import CatalogFile
from toolgen.compiler.documents.agent import AgentFile
from toolgen.compiler.documents.policy import PolicyFile
from toolgen.compiler.documents.shared import SharedFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.ir.catalog import Catalog
from toolgen.compiler.resolve.agents import resolve_agents
from toolgen.compiler.resolve.catalogs import resolve_catalogs
from toolgen.compiler.resolve.policies import resolve_policies
from toolgen.compiler.resolve.schemas.schemas import Schemas
from toolgen.compiler.resolve.schemas.types import Types
from toolgen.compiler.resolve.selectors.selectable import Selectable
from toolgen.compiler.resolve.toolsets.shared_types import resolve_shared_types
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.resolve.toolsets.toolsets import check_toolsets, resolve_toolset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolgen.compiler.diagnostics import Diagnostics, Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document

FileT = TypeVar("FileT", bound="SpecFileHead")


def resolve(documents: Sequence[Document[SpecFileHead]], sink: Diagnostics, *, profile: str, formats: str) -> Catalog:
    """Resolve all documents of a target. The result must not be used if the sink has errors."""
    schemas = Schemas(Types(documents, sink), sink, formats)
    files = _of(documents, ToolsetFile)
    tags = {**_own_tags(files, sink), **_tags(_of(documents, SharedFile), sink)}
    by_path = {document.path: document for document in files}
    shared = resolve_shared_types(_of(documents, SharedFile), schemas, sink, profile=profile)
    toolsets = [resolve_toolset(document, by_path, schemas, shared, tags, sink, profile=profile) for document in files]
    toolsets.sort(key=lambda toolset: toolset.name)
    check_toolsets(toolsets, sink)
    words = [*BUILTIN, *tags]
    catalogs = resolve_catalogs(_of(documents, CatalogFile), toolsets, sink)
    selectable = Selectable.of(toolsets, catalogs, words)
    agents, toolsets = resolve_agents(_of(documents, AgentFile), selectable, sink)
    policies = resolve_policies(_of(documents, PolicyFile), selectable, sink)
    return Catalog(
        tuple(toolsets),
        tuple(sorted(agents, key=lambda agent: agent.name)),
        tuple(sorted(catalogs, key=lambda catalog: catalog.name)),
        tuple(sorted(policies, key=lambda policy: policy.name)),
        dict(sorted({**BUILTIN, **tags}.items())),
        formats,
        shared.types,
    )


def _of(documents: Sequence[Document[SpecFileHead]], kind: type[FileT]) -> list[Document[FileT]]:
    return [cast("Document[FileT]", document) for document in documents if isinstance(document.file, kind)]


def _own_tags(documents: Sequence[Document[ToolsetFile]], sink: Diagnostics) -> dict[str, str]:
    """The tags that toolsets declare for their own tools. Several may declare the same one: APIs share words."""
    tags: dict[str, str] = {}
    for document in documents:
        for tag, meaning in document.file.tags.items():
            if tag in BUILTIN:
                span = document.span("tags", tag, key=True)
                sink.report("TG301", span, f"the tag `{tag}` is built in", fix="give yours another name")
            tags.setdefault(tag, meaning)
    return tags


def _tags(documents: Sequence[Document[SharedFile]], sink: Diagnostics) -> dict[str, str]:
    tags: dict[str, str] = {}
    places: dict[str, Span] = {}
    for document in documents:
        for tag, meaning in document.file.tags.items():
            span = document.span("tags", tag, key=True)
            if tag in BUILTIN:
                sink.report("TG301", span, f"the tag `{tag}` is built in", fix="choose another name")
            elif tag in places:
                sink.report(
                    "TG301",
                    span,
                    f"the tag `{tag}` is declared twice",
                    related=[Related(places[tag], "first here")],
                    fix="keep one of them",
                )
            tags[tag], places[tag] = meaning, span
    return tags
