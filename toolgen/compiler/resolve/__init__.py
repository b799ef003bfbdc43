"""Resolve: documents in, one frozen `Catalog` of IR out. No files are read or written here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeGuard, TypeVar, cast

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.documents.action_catalog import CatalogFile
from toolgen.compiler.documents.agent import AgentFile
from toolgen.compiler.documents.base import SharedFile
from toolgen.compiler.documents.library import Documents
from toolgen.compiler.documents.policy import PolicyFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.ir.catalog import Catalog
from toolgen.compiler.resolve.agents import resolve_agents
from toolgen.compiler.resolve.catalogs import resolve_catalogs
from toolgen.compiler.resolve.policies import resolve_policies
from toolgen.compiler.resolve.schemas.schemas import Schemas
from toolgen.compiler.resolve.schemas.types import Types
from toolgen.compiler.resolve.selectors import Selectable
from toolgen.compiler.resolve.toolsets.shared_types import resolve_shared_types
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.resolve.toolsets.toolsets import check_toolsets, resolve_toolset

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import Toolset

FileT = TypeVar("FileT", bound="SpecFileHead")


class Memory(Protocol):
    """The toolsets of earlier builds, by the paths of their files."""

    def tags(self, path: str) -> Mapping[str, str] | None:
        """Return the tags that the toolset of a file declares; None if its file is not known with this text."""

    def recall(self, path: str, context: Context) -> Toolset | None:
        """Return the toolset of a file, and report its findings, if it was resolved in an equal context."""

    def keep(self, path: str, context: Context, made: Made) -> None:
        """Keep a toolset that was just resolved."""


@dataclass(frozen=True, slots=True)
class Context:
    """What toolsets depend on beside their files and the settings: the names of tags, and the shared types.

    `shared` are the files of shared types, and the files whose types those use.
    """

    tags: frozenset[str]
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class Made:
    """A toolset from its file, without what follows from others; the findings; and the other files that it used."""

    toolset: Toolset
    tags: Mapping[str, str]
    findings: Diagnostics
    read: Collection[str]


def resolve(documents: Sequence[Document[SpecFileHead]], sink: Diagnostics, *, profile: str, formats: str) -> Catalog:
    """Resolve all documents of a target. The result must not be used if the sink has errors."""
    return resolve_by_path(Documents.of(documents), sink, profile=profile, formats=formats)


def resolve_by_path(
    documents: Documents,
    sink: Diagnostics,
    *,
    profile: str,
    formats: str,
    memory: Memory | None = None,
) -> Catalog:
    """Resolve all documents of a target, by path, as `resolve` does. Those of toolsets are forgotten after use.

    A toolset that `memory` has is not resolved again, and its file is not asked for, unless others refer to it.
    """
    declared = {path: tags for path in documents if memory and (tags := memory.tags(path)) is not None}
    read = [document for path in documents if path not in declared and (document := documents.get(path))]
    files = {document.path: document for document in _of(read, ToolsetFile)}
    read = [document for document in read if document.path not in files]
    shared_files = _of(read, SharedFile)
    tags = {**_own_tags(documents, declared, files, sink), **_tags(shared_files, sink)}
    schemas = Schemas(Types(documents, sink), sink, formats)
    shared = resolve_shared_types(shared_files, schemas, sink, profile=profile)
    context = Context(frozenset(tags), frozenset(schemas.read.union(document.path for document in shared_files)))
    toolsets: list[Toolset] = []
    for path in documents:
        if path not in declared and path not in files:
            continue
        toolset = memory.recall(path, context) if memory else None
        if toolset is None:
            document = files.pop(path, None) or documents.get(path)
            if document is None or not _is_toolset(document):
                continue
            findings = Diagnostics()
            own = schemas.for_toolset(findings)
            toolset = resolve_toolset(document, documents, own, shared, tags, findings, profile=profile)
            for found in findings:
                sink.add(found)
            if memory and not findings.has_errors:
                memory.keep(path, context, Made(toolset, document.file.tags, findings, own.read - {path}))
            documents.forget(path)
        toolsets.append(toolset)
    toolsets.sort(key=lambda toolset: toolset.name)
    check_toolsets(toolsets, sink)
    words = [*BUILTIN, *tags]
    catalogs = resolve_catalogs(_of(read, CatalogFile), toolsets, sink)
    selectable = Selectable.of(toolsets, catalogs, words)
    agents, toolsets = resolve_agents(_of(read, AgentFile), selectable, sink)
    policies = resolve_policies(_of(read, PolicyFile), selectable, sink)
    return Catalog(
        tuple(toolsets),
        tuple(sorted(agents, key=lambda agent: agent.name)),
        tuple(sorted(catalogs, key=lambda catalog: catalog.name)),
        tuple(sorted(policies, key=lambda policy: policy.name)),
        dict(sorted({**BUILTIN, **tags}.items())),
        formats,
        shared.types,
    )


def _is_toolset(document: Document[SpecFileHead]) -> TypeGuard[Document[ToolsetFile]]:
    return isinstance(document.file, ToolsetFile)


def _of(documents: Sequence[Document[SpecFileHead]], kind: type[FileT]) -> list[Document[FileT]]:
    return [cast("Document[FileT]", document) for document in documents if isinstance(document.file, kind)]


def _own_tags(
    paths: Iterable[str],
    declared: Mapping[str, Mapping[str, str]],
    files: Mapping[str, Document[ToolsetFile]],
    sink: Diagnostics,
) -> dict[str, str]:
    """The tags that toolsets declare for their own tools. Several may declare the same one: APIs share words."""
    tags: dict[str, str] = {}
    for path in paths:
        if path in files:
            for tag in files[path].file.tags.keys() & BUILTIN.keys():
                span = files[path].span("tags", tag, key=True)
                sink.report("TG301", span, f"the tag `{tag}` is built in", fix="give yours another name")
        for tag, meaning in (files[path].file.tags if path in files else declared.get(path, {})).items():
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
