"""The agent file."""

from __future__ import annotations

from toolgen.compiler.documents.base import DottedName, Role, SelectorText, SpecFileHead


class AgentFile(SpecFileHead):
    """Who uses and exports toolsets."""

    agent: DottedName
    description: str = ""
    role: Role = "main"
    """What it may hold. A run that a call started is never of role `main`: it is `sub` instead."""
    system: str = ""
    """The system message of its runs."""
    use: list[SelectorText] = []
    """Selectors: the tools it has when nobody asks for less."""
    on_request: list[SelectorText] = []
    """Selectors: what a dispatch may ask for beyond `use`."""
    suggest: list[SelectorText] = []
    """Selectors: a preference, never a right."""
    export: list[DottedName] = []
    """Toolsets of kind `agent` that it runs for others."""
