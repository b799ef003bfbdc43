"""Agent definitions: the agents of a catalog that calls may start, by role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolgen.contract.records import FailureKind
from toolgen.runtime.base.errors import CallFailed
from toolgen.runtime.base.suggest import nearest
from toolgen.runtime.policy.effective import CHILD_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from toolgen.runtime.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """An agent that may be started. `system` is its system message."""

    id: str
    role: str
    description: str
    system: str

    def as_json(self) -> dict[str, str]:
        """Return its id, its role, and the first line of its description."""
        purpose = self.description.partition("\n")[0]
        return {"id": self.id, "role": self.role, **({"description": purpose} if purpose else {})}


class AgentDefinitionRegistry:
    """The compiled agents of a catalog, without those that only a host starts."""

    def __init__(self, catalog: Catalog) -> None:
        self._definitions: Final[Mapping[str, AgentDefinition]] = {
            name: AgentDefinition(
                id=name, role=agent["role"], description=agent.get("description", ""), system=agent.get("system", "")
            )
            for name, agent in catalog.section("agents").items()
            if agent["role"] in CHILD_ROLES
        }

    def __iter__(self) -> Iterator[AgentDefinition]:
        return iter(self._definitions.values())

    def find(self, definition_id: str, role: str) -> AgentDefinition:
        """Return the definition with an id. Raises `CallFailed` with `unknown_agent` if none of that role has it."""
        definition = self._definitions.get(definition_id)
        if definition is not None and definition.role == role:
            return definition
        known = [each.id for each in self if each.role == role]
        meant = nearest(definition_id, known) or known
        hint = f"did you mean {' or '.join(meant[:3])}?" if meant else "go on without it: there is none to start"
        message = f"no agent of the role {role} has the definition id {definition_id[:100]!r}"
        raise CallFailed(FailureKind.INVALID_CALL, "unknown_agent", message, hint)
