"""Resolve: documents in, one frozen `Catalog` of IR out. No files are read or written here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.documents.base import SharedFile
from toolgen.compiler.documents.library import Documents, is_toolset
from toolgen.compiler.documents.selecting import AgentFile, CatalogFile, PolicyFile
from toolgen.compiler.documents.toolset import ToolsetFile
from toolgen.compiler.ir.catalog import Catalog, Part, Policy, joined
from toolgen.compiler.resolve.agents import resolve_agents
from toolgen.compiler.resolve.catalogs import resolve_catalogs
from toolgen.compiler.resolve.schemas import Schemas, Types
from toolgen.compiler.resolve.selectors import Selectable
from toolgen.compiler.resolve.toolsets.sides import resolve_shared_types
from toolgen.compiler.resolve.toolsets.tags import BUILTIN
from toolgen.compiler.resolve.toolsets.toolsets import (
    Surroundings,
    check_toolsets,
    join_parts,
    resolve_part,
    resolve_toolset,
)
from toolgen.spec.hosts import UNCLEAR, UNNAMED, host_named

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Span
    from toolgen.compiler.documents.base import SpecFileHead
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.ir.catalog import Toolset
    from toolgen.compiler.ir.shapes import AliasType, ClassType
    from toolgen.compiler.source.split import SplitText


# Policy files to policies, with checks of selectors, hosts and limits.

_HOST = re.compile(r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9a-fA-F:]+\]")


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
        if not _HOST.fullmatch(host) or (host != UNNAMED and host_named(host.removeprefix("*.")) == UNCLEAR):
            sink.report(
                "TG510",
                document.span("network", host, key=True),
                f"`{host}` is not a host",
                fix="write `example.com`, `*.example.com` or `*`; an address as `127.0.0.1` or `[::1]`, without a port",
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


@dataclass(frozen=True, slots=True)
class Context:
    """What toolsets depend on beside their files and the settings: the tags that there are, and the shared types.

    `shared` are the files of shared types, and the files whose types those use.
    """

    tags: frozenset[str]
    shared: frozenset[str]


@dataclass(frozen=True, slots=True)
class Piece:
    """What is resolved, and kept, of a toolset file for itself: the tools of some keys, or its head, which has none.

    `split` is the divided file. Without it the piece is the whole file.
    """

    path: str
    keys: tuple[str, ...] | None = None
    split: SplitText | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Made:
    """What a piece was resolved to; the tags of its file; the findings; and the other files that it used.

    `asked` are names of classes that were looked for among those of the tools of its file.
    """

    part: Part
    tags: Mapping[str, str]
    findings: Diagnostics
    read: Collection[str]
    asked: Collection[str] = ()


class Memory(Protocol):
    """The toolsets of earlier builds, by the paths of their files."""

    def tags(self, path: str) -> Mapping[str, str] | None:
        """Return the tags that the toolset of a file declares; None if that is not known of this text."""

    def pieces(self, path: str) -> Sequence[Piece]:
        """Return the pieces that a file is divided into, in order; empty if it is one."""
        ...

    def recall(self, piece: Piece, context: Context) -> Made | None:
        """Return what a piece was resolved to in an equal context."""

    def keep(self, piece: Piece, context: Context, made: Made) -> None:
        """Keep what a piece was resolved to."""

    def use(self, toolset: str, pieces: Sequence[Piece]) -> None:
        """Note the pieces that a toolset is made of."""


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
    resolver = _resolver(documents, shared_files, tags, sink, profile=profile, formats=formats, memory=memory)
    toolsets: list[Toolset] = []
    for path in documents:
        if path in declared or path in files:
            toolsets += resolver.toolset(path)
            documents.forget(path)
            files.pop(path, None)
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
        resolver.shared_types,
    )


def resolve_pieces(
    documents: Documents, pieces: Iterable[Piece], others: Iterable[str], *, profile: str, formats: str, memory: Memory
) -> list[tuple[Toolset, list[Piece]]]:
    """Resolve some pieces of toolset files, for `memory` to keep; `others` are the paths of files that are no toolsets.

    Returns each toolset with those of its pieces that were resolved, as far as it is made of them. What has findings
    that are not kept with a piece, such as errors, is left to `resolve_by_path`. Whether its tags are declared is asked
    when a piece is recalled.
    """
    sink = Diagnostics()
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(piece.path, []).append(piece)
    shared_files = _of([document for path in others if (document := documents.get(path))], SharedFile)
    resolver = _resolver(documents, shared_files, _AnyTag(), sink, profile=profile, formats=formats, memory=memory)
    return [(toolset, group) for group in groups.values() for toolset in resolver.part(group)]


class _AnyTag(dict[str, str]):
    """Tags of which every one is declared."""

    def __contains__(self, tag: object) -> bool:
        return True


def _resolver(
    documents: Documents,
    shared_files: Sequence[Document[SharedFile]],
    tags: Mapping[str, str],
    sink: Diagnostics,
    *,
    profile: str,
    formats: str,
    memory: Memory | None,
) -> _Resolver:
    schemas = Schemas(Types(documents, sink), sink, formats)
    shared = resolve_shared_types(shared_files, schemas, sink, profile=profile)
    context = Context(frozenset(tags), frozenset(schemas.read.union(document.path for document in shared_files)))
    return _Resolver(documents, schemas, Surroundings(documents, shared, tags, profile), context, memory, sink)


def _document_of(pieces: Sequence[Piece], documents: Documents) -> Document[SpecFileHead] | None:
    """Return a file with the tools of some of its pieces, or the whole file; None if it cannot be read so."""
    split = pieces[0].split
    if split is None:
        return documents.get(pieces[0].path)
    keys = {key for piece in pieces for key in piece.keys or ()} or {next(iter(split.tools))}
    return documents.part(split, keys, with_tail=not all(piece.keys for piece in pieces))


class _Resolver:
    """Resolves toolset files, with what `memory` has of them."""

    def __init__(
        self,
        documents: Documents,
        schemas: Schemas,
        surroundings: Surroundings,
        context: Context,
        memory: Memory | None,
        sink: Diagnostics,
    ) -> None:
        self._documents = documents
        self._schemas = schemas
        self._surroundings = surroundings
        self._context = context
        self._memory = memory
        self._sink = sink

    @property
    def shared_types(self) -> tuple[ClassType | AliasType, ...]:
        """The types of shared files."""
        return self._surroundings.shared.types

    def part(self, pieces: Sequence[Piece]) -> list[Toolset]:
        """Resolve pieces of one file, and return what of its toolset they make; nothing if they have errors."""
        if pieces[0].split is None:
            return self.toolset(pieces[0].path)
        head = Piece(pieces[0].path, (), pieces[0].split)
        made = self._made(list(dict.fromkeys([head, *pieces]))) or {}
        for piece in pieces if made else ():
            self._keep(piece, made[piece])
        self._documents.forget(head.path)
        return [joined(made[head].part, [each.part for each in made.values()])] if made else []

    def toolset(self, path: str) -> list[Toolset]:
        """Return the toolset of a file; none if the file has errors."""
        whole = Piece(path)
        if self._memory and (made := self._memory.recall(whole, self._context)):
            return [self._used([(whole, made)], made.part.toolset)]
        if found := self._by_pieces(path):
            return [found]
        document = self._documents.whole(path)
        if not is_toolset(document):
            return []
        findings = Diagnostics()
        own = self._schemas.for_toolset(findings)
        toolset = resolve_toolset(document, own, self._surroundings, findings)
        made = Made(Part(toolset, {}), document.file.tags, findings, own.read - {path})
        if not findings.has_errors:
            self._keep(whole, made)
        return [self._used([(whole, made)], toolset)]

    def _by_pieces(self, path: str) -> Toolset | None:
        """Return the toolset of a file from its pieces; None where it has to be resolved as a whole, as for errors."""
        memory = self._memory
        pieces = memory.pieces(path) if memory else ()
        if not memory or not pieces:
            return None
        known = {piece: memory.recall(piece, self._context) for piece in pieces}
        made = self._made([piece for piece in pieces if known[piece] is None])
        if made is None:
            return None
        all_made = [(piece, known[piece] or made[piece]) for piece in pieces]
        head, *parts = (each.part for _, each in all_made)
        toolset = join_parts(head, parts)
        if toolset is not None:
            for piece, each in made.items():
                self._keep(piece, each)
            self._used(all_made, toolset)
        return toolset

    def _made(self, pieces: Sequence[Piece]) -> dict[Piece, Made] | None:
        """Resolve pieces of one file; None if one of them has errors."""
        made: dict[Piece, Made] = {}
        if not pieces or (split := pieces[0].split) is None:
            return made
        document = _document_of(pieces, self._documents)
        if not is_toolset(document):
            return None
        for piece in pieces:
            findings = Diagnostics()
            own = self._schemas.for_toolset(findings)
            part, asked = resolve_part(
                document,
                piece.keys or (),
                own,
                self._surroundings,
                findings,
                names=split.tools,
                with_head=not piece.keys,
            )
            if findings.has_errors:
                return None
            made[piece] = Made(part, document.file.tags, findings, own.read - {split.path}, asked)
        return made

    def _keep(self, piece: Piece, made: Made) -> None:
        """Keep what was made of a piece, unless reading its file reported anything, which no later build would do."""
        if self._memory and not self._documents[piece.path].root.source.has_findings:
            self._memory.keep(piece, self._context, made)

    def _used(self, made: Sequence[tuple[Piece, Made]], toolset: Toolset) -> Toolset:
        for _, each in made:
            for found in each.findings:
                self._sink.add(found)
        if self._memory:
            self._memory.use(toolset.name, [piece for piece, _ in made])
        return toolset


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
