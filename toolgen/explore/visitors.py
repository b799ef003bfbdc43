"""Visitors: who looks at a page, and as whom they look at the tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.explore.settings import ExploreSettings
    from toolgen.runtime.policy.approvers import Approver


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page. `sees_all` for the person at this machine, who has the project anyway."""

    person: Approver
    sees_all: bool

    @property
    def name(self) -> str:
        """The name of the person."""
        return self.person.name

    def may_see_user(self, user: str | None) -> bool:
        """Whether the runs of a user are theirs to see."""
        return self.sees_all or (user is not None and user == self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint:
    """As whom the tools are seen: an agent, empty for all tools, a user, a role and a mode."""

    agent: str = ""
    user: str | None = None
    role: str = ""
    mode: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """What it chooses, as parameters of a request."""
        return {"agent": self.agent, "user": self.user or "", "role": self.role, "mode": self.mode}

    def query(self, start: Viewpoint) -> dict[str, str]:
        """Return the parameters of a link that keeps it, where pages without any look as `start`."""
        return {name: value for name, value in self.fields.items() if value != start.fields[name]}


def start_view(settings: ExploreSettings, visitor: Visitor) -> Viewpoint:
    """Return as whom a visitor looks who has not chosen it."""
    return Viewpoint(agent=settings.agent, user=settings.user if visitor.sees_all else visitor.name)
