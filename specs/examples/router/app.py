"""The worked example of an action catalog: what runs every action of `universal.catalog.yaml`, on small data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from generated.tools import mcp_admin, router
from specs.examples.router.handlers import peers, skills
from specs.examples.router.handlers.corpora import Corpora
from specs.examples.router.handlers.documents import Documents
from specs.examples.router.handlers.mcp_admin import McpAdminTools
from specs.examples.router.handlers.memory import Memory
from specs.examples.router.handlers.registry import published
from specs.examples.router.handlers.router import RouterTools
from specs.examples.router.handlers.servers import Servers
from specs.examples.router.handlers.site import Site
from toolgen.toolsets import CodeTools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from toolgen.runtime import ToolsetRegistration

_HERE: Final = Path(__file__).parent
_SERVERS: Final = ("time", "units")
"""What is installed at first."""


class Router:
    """All that a catalog `universal` needs: the toolsets that run, and what there is of each kind of resource.

    What is written lies in `folder`, which is filled from `seed/` when it is new. `agent` is whose memory the layer
    `agent` is. `router`, `mcp_admin` and `code` are what `Runtime(executors=[...])` takes, and `registrations` is all
    of them. `resources` gives for a category what lists its entries now: names, each with a description.
    """

    def __init__(self, folder: Path, agent: str = "router") -> None:
        folder = folder.resolve()
        servers = Servers(folder / "servers.json")
        if not folder.exists():
            shutil.copytree(_HERE / "seed", folder)
            for name in _SERVERS:
                servers.add(name, published(name).argv())
        memory = Memory(folder / "memory", agent)
        corpora = Corpora(folder / "corpora")
        code = CodeTools(folder / "workspace")
        tools = RouterTools(
            memory=memory,
            corpora=corpora,
            documents=Documents(_HERE),
            site=Site(_HERE / "site"),
            workspace=code.policy,
        )
        self.router: Final = router.executor(tools)
        self.mcp_admin: Final = mcp_admin.executor(McpAdminTools(servers))
        self.code: Final = code.registration()
        self.resources: Final[Mapping[str, Callable[[], Iterable[tuple[str, str]]]]] = {
            "skill": skills.entries,
            "agent.peer": peers.entries,
            "memory_entry": memory.entries,
            "rag_corpus": corpora.entries,
        }

    @property
    def registrations(self) -> tuple[ToolsetRegistration, ...]:
        """What runs the three toolsets."""
        return (self.router, self.mcp_admin, self.code)
