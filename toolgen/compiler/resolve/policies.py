"""Policy files to policies, with checks of selectors, hosts and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.ir.catalog import Policy

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.policy import PolicyFile
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.resolve.selectors import Selectable

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
