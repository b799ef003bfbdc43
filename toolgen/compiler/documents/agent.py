"""The agent file."""

from __future__ import annotations

from toolgen.compiler.documents.base import DottedName, NonEmpty, Role, SpecFileHead


class AgentFile(SpecFileHead):
    """Who uses and exports toolsets."""

    agent: DottedName
    description: str = ""
    role: Role = "main"
    system: str = ""
    """The system message of its runs."""
    use: list[NonEmpty] = []
    """Selectors: the tools it has when nobody asks for less."""
    on_request: list[NonEmpty] = []
    """Selectors: what a dispatch may ask for beyond `use`."""
    suggest: list[NonEmpty] = []
    """Selectors: a preference, never a right."""
    export: list[DottedName] = []
    """Toolsets of kind `agent` that it runs for others."""
