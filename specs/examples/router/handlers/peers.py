"""Peers: agents of the same topology, each of which answers from what it knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from specs.examples.router.handlers.ranking import rank
from specs.examples.router.handlers.refusals import not_found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True)
class Peer:
    """An agent: what it is for, and what it knows, by topic."""

    description: str
    knowledge: Mapping[str, str]

    def answer(self, request: str) -> str:
        """Answer with what fits a request best, or say what it could be asked."""
        texts = {topic: f"{topic}\n{fact}" for topic, fact in self.knowledge.items()}
        found = rank(request, texts, 1)
        if found:
            return self.knowledge[found[0].key]
        return f"I know nothing of that. Ask me about: {', '.join(self.knowledge)}."


PEERS: Final = {
    "alice": Peer(
        "Keeps the calendar of releases.",
        {
            "next release": "Release 4.2 is planned for 14 September; the branch is cut a week before.",
            "release freeze": "From the cut of the branch on, only fixes are merged.",
            "last release": "Release 4.1 went out on 3 June, with two fixes after it.",
        },
    ),
    "bob": Peer(
        "Looks after the accounts of the harbour.",
        {
            "invoices": "Invoices are paid within 30 days; those above 5,000 need a second signature.",
            "berth fees": "A berth costs 12 a metre and night from May to September, and 7 in winter.",
            "budget": "Of this year's budget 61,000 of 84,000 are spent.",
        },
    ),
}


def ask(peer: str, request: str) -> str:
    """Send a request to a peer, and give its answer. Raises `CallFailed` with `agent_not_found`."""
    if peer not in PEERS:
        raise not_found("agent", peer, PEERS)
    return PEERS[peer].answer(request)


def entries() -> Iterator[tuple[str, str]]:
    """List the peers, with what they are for."""
    for name, peer in PEERS.items():
        yield name, peer.description
