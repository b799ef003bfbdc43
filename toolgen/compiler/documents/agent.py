"""The agent file."""

from __future__ import annotations

from toolgen.compiler.documents.base import DottedName, SelectorText, SpecFileHead
from toolgen.spec.tool_settings import Role  # noqa: TC001  # pydantic reads it


class AgentFile(SpecFileHead):
    """An agent: the tools it uses, and the toolsets it exports."""

    agent: DottedName
    """The name of the agent."""
    description: str = ""
    """The purpose of the agent."""
    role: Role = "main"
    """The role, which limits the tools it may hold. A run that a call started never has the role `main`, but `sub`."""
    system: str = ""
    """The system message of its runs."""
    use: list[SelectorText] = []
    """Selectors: its default tools."""
    on_request: list[SelectorText] = []
    """Selectors: tools that a dispatch may request beyond `use`."""
    suggest: list[SelectorText] = []
    """Selectors: tools to prefer; they grant nothing."""
    export: list[DottedName] = []
    """Toolsets of kind `agent` whose tools this agent runs."""
