"""Resolve: documents in, one frozen `Catalog` of IR out. No files are read or written here."""

from __future__ import annotations

import re
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
from toolgen.compiler.ir.catalog import Catalog, Policy
from toolgen.compiler.resolve.agents import resolve_agents
from toolgen.compiler.resolve.catalogs import resolve_catalogs
from toolgen.compiler.resolve.schemas import Schemas, Types
from toolgen.compiler.resolve.selectors import Selectable
from toolgen.compiler.resolve.toolsets.sides import resolve_shared_types
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.resolve.toolsets.toolsets import check_toolsets, resolve_toolset

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import Toolset


# Policy files to policies, with checks of selectors, hosts and limits.

_HOST = re.compile(r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(:[0-9]{1,5})?|\[[0-9a-fA-F:]+\]")


def resolve_policies(documents: Sequence[Document[PolicyFile]], tools: Selectable, sink: Diagnostics) -> list[Policy]:
    """Return the policies."""
    policies: dict[str, Policy] = {}
    for document in documents:
        _check(document, tools, sink)
        policy = _policy(document)
        first = policies.setdefault(policy.name, policy)
        if first is not policy:
            sink.report(
                "TG301",
                policy.span,
                f"the policy `{policy.name}` is defined twice",
                related=[Related(first.span, "first here")],
                fix="rename one of them",
            )
    return list(policies.values())


def _policy(document: Document[PolicyFile]) -> Policy:
    file = document.file
    return Policy(
        name=file.policy,
        rules=dict(file.rules),
        roles={role: dict(rules) for role, rules in file.roles.items()},
        modes={mode: dict(rules) for mode, rules in file.modes.items()},
        registered=tuple(file.registered),
        approvers={selector: who.model_dump(exclude_defaults=True) for selector, who in file.approvers.items()},
        network=dict(file.network),
        write_roots=tuple(file.paths.write_roots),
        tmp=file.paths.tmp,
        hard_links=file.paths.hard_links,
        sensitive=tuple(file.paths.sensitive),
        env=tuple(file.env),
        limits=file.limits.model_dump(),
        on_permission_deny=file.on_permission_deny,
        span=document.span("policy"),
    )


def _check(document: Document[PolicyFile], tools: Selectable, sink: Diagnostics) -> None:
    file = document.file
    places: list[tuple[tuple[str, ...], Mapping[str, str]]] = [(("rules",), file.rules)]
    places += [(("roles", role), rules) for role, rules in file.roles.items()]
    places += [(("modes", mode), rules) for mode, rules in file.modes.items()]
    for path, rules in places:
        for selector, answer in rules.items():
            span = document.span(*path, selector, key=True)
            tools.check(selector, span, sink, answer=answer, registered=file.registered)
    for selector, who in file.approvers.items():
        span = document.span("approvers", selector, key=True)
        tools.check(selector, span, sink, answer="approvers", registered=file.registered)
        if who.user and who.people > 1:
            sink.report(
                "TG510",
                span,
                f"`{selector}`: only the user of the run may answer, so {who.people} people cannot",
                fix="leave out `user` or `people`",
            )
        if not who.user and not who.roles and who.people == 1:
            sink.report(
                "TG510", span, f"`{selector}` says nothing about who may answer", fix="set `user`, `roles` or `people`"
            )
    for host in file.network:
        if not _HOST.fullmatch(host):
            sink.report(
                "TG510",
                document.span("network", host, key=True),
                f"`{host}` is not a host",
                fix="write `example.com`, `*.example.com` or `*`",
            )
    limits = file.limits
    if limits.max_timeout_ms and limits.timeout_ms > limits.max_timeout_ms:
        sink.report(
            "TG510",
            document.span("limits"),
            f"`timeout_ms` ({limits.timeout_ms}) is over `max_timeout_ms` ({limits.max_timeout_ms})",
            fix="lower one or raise the other",
        )


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
