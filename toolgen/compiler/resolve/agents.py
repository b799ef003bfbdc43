"""Agent files to agents: the tools they use, the toolsets they export, and the owner of every agent toolset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgen.compiler.diagnostics.diagnostic import Related
from toolgen.compiler.ir.catalog import Agent, ToolsetKind
from toolgen.compiler.resolve.names import Namespace, package_of, package_of_agent

if TYPE_CHECKING:
    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.documents.read import Document
    from toolgen.compiler.documents.selecting import AgentFile
    from toolgen.compiler.ir.catalog import Toolset
    from toolgen.compiler.resolve.selectors import Selectable

_RENAME: Final = "rename one of the toolsets"


def resolve_agents(
    documents: Sequence[Document[AgentFile]], tools: Selectable, sink: Diagnostics
) -> tuple[list[Agent], list[Toolset]]:
    """Return the agents, and the toolsets with the exporting agent set in those of kind `agent`."""
    agents: dict[str, Agent] = {}
    packages = Namespace()
    for document in documents:
        agent = _resolve(document, tools, sink)
        first = agents.setdefault(agent.name, agent)
        if first is not agent:
            sink.report(
                "TG301",
                agent.span,
                f"the agent `{agent.name}` is defined twice",
                related=[Related(first.span, "first here")],
                fix="rename one of them",
            )
        else:
            _claim_packages(agent, document, packages, sink)
    return list(agents.values()), _owned(documents, tools.toolsets, sink)


def _claim_packages(agent: Agent, document: Document[AgentFile], packages: Namespace, sink: Diagnostics) -> None:
    """Report agents, or toolsets that one of them exports or uses, that would have the same package.

    A toolset that an agent uses may not be called like the service of another one: `toolsets/mcp` is the folder of the
    toolsets of `mcp`.
    """
    folder = "/".join(agent.package)
    packages.claim([folder], f"the agent `{agent.name}`", agent.span, sink, fix="give one of them another name")
    for index, name in enumerate(agent.export):
        exported = f"{folder}/agenttools/{package_of(name)[-1]}"
        packages.claim([exported], f"`{name}`", document.span("export", index), sink, fix="rename one of the toolsets")
    for name in agent.uses:
        *owner, _, last = package_of(name)
        services = ["/".join((folder, "toolsets", *owner[:depth])) for depth in range(1, len(owner) + 1)]
        packages.claim(services, "the service of a toolset that the agent uses", agent.span, sink, fix=_RENAME)
        used = "/".join((folder, "toolsets", *owner, last))
        packages.claim([used], f"`{name}`", agent.span, sink, fix=_RENAME)


def _resolve(document: Document[AgentFile], tools: Selectable, sink: Diagnostics) -> Agent:
    file, toolsets = document.file, tools.toolsets
    for name in ("use", "on_request", "suggest"):
        for index, selector in enumerate(getattr(file, name)):
            span = document.span(name, index)
            tools.check(selector, span, sink)
            _check_role(file.role, name, selector, tools, document, index, sink)
    by_name = {toolset.name: toolset for toolset in toolsets}
    written = [selector for selector in (*file.use, *file.on_request) if "*" not in selector and "+" not in selector]
    named = [each for selector in written for each in tools.names.resolve_selector(selector, restricts=False)]
    uses = {
        toolset.name
        for selector in named
        for toolset in toolsets
        if selector.toolset == toolset.name or any(tool.ident == selector.pattern for tool in toolset.tools)
    }
    for index, name in enumerate(file.export):
        span = document.span("export", index)
        toolset = by_name.get(name)
        if toolset is None:
            sink.report("TG501", span, f"there is no toolset `{name}`", fix=sink.nearest(name, by_name))
        elif toolset.kind is not ToolsetKind.AGENT:
            sink.report(
                "TG502",
                span,
                f"`{name}` is of kind {toolset.kind.value}; agents export toolsets of kind agent",
                related=[Related(toolset.span, f"`{name}` is here")],
                fix="write `kind: agent` in the toolset",
            )
    return Agent(
        file.agent,
        package_of_agent(file.agent),
        file.description.strip(),
        file.role,
        file.system,
        tuple(file.use),
        tuple(file.on_request),
        tuple(file.suggest),
        tuple(file.export),
        tuple(sorted(uses)),
        document.span("agent"),
    )


def _check_role(
    role: str,
    key: str,
    selector: str,
    tools: Selectable,
    document: Document[AgentFile],
    index: int,
    sink: Diagnostics,
) -> None:
    """Report tools in `use` that the role may not hold, if they are named explicitly."""
    if key == "suggest":
        return
    for tool in tools.select(selector):
        if tools.names.ident(selector) == tool.ident and tool.roles is not None and role not in tool.roles:
            sink.report(
                "TG508",
                document.span(key, index),
                f"`{tool.ident}` is not allowed for agents of role {role}",
                related=[Related(tool.span, f"it is for {', '.join(tool.roles)}")],
                fix="remove it, or add the role to the tool's `roles`",
            )


def _owned(documents: Sequence[Document[AgentFile]], toolsets: Sequence[Toolset], sink: Diagnostics) -> list[Toolset]:
    exporters: dict[str, list[Document[AgentFile]]] = {}
    for document in documents:
        for name in document.file.export:
            exporters.setdefault(name, []).append(document)
    owned: list[Toolset] = []
    for toolset in toolsets:
        found = exporters.get(toolset.name, [])
        if toolset.kind is ToolsetKind.AGENT and not found:
            sink.report(
                "TG502",
                toolset.span,
                f"no agent exports `{toolset.name}`, so nothing runs it",
                fix=f"write `export: [{toolset.name}]` in the agent that runs it",
            )
        if len(found) > 1:
            sink.report(
                "TG502",
                toolset.span,
                f"`{toolset.name}` is exported by {len(found)} agents, but only one can run it",
                related=[Related(each.span("export"), f"`{each.file.agent}` exports it") for each in found],
                fix="keep one of them",
            )
        owned.append(replace(toolset, exported_by=found[0].file.agent) if found else toolset)
    return owned
