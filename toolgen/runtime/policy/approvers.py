"""Who may answer a question about a call: a rule of policies, by which every door that takes answers goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.spec.text import is_hidden

ANONYMOUS_CLIENT: Final = "(client)"
"""The name of whoever answers in a client where nothing says who it is: see `Approver.is_known`."""


@dataclass(frozen=True, slots=True)
class Approver:
    """Someone who answers. Whoever takes the answer has to know the name and the roles, and not only be told them.

    `via` says from where the answer came: `command line`, `http 10.0.0.7`, `serve`, `code`. A name in parentheses, such
    as `(client)`, is of somebody nobody knows: they may answer only where no policy says who.
    """

    name: str
    roles: tuple[str, ...] = ()
    via: str = "code"

    @property
    def is_known(self) -> bool:
        """Whether the name is that of a person."""
        return bool(self.name) and not (self.name.startswith("(") and self.name.endswith(")"))

    @property
    def identity(self) -> str:
        """The name as it tells people apart: without case, without what is invisible, with single spaces."""
        from unicodedata import normalize  # slow to import, and few calls are allowed by several people

        folded = normalize("NFKC", normalize("NFKC", self.name).casefold())
        return " ".join("".join(char for char in folded if not is_hidden(char)).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Approvers:
    """Who may answer the questions about a tool.

    `user`: only the user of the run. `roles`: only someone with a role of each group. `people`: so many different
    people must allow the call; one of them can deny it.
    """

    user: bool = False
    roles: tuple[tuple[str, ...], ...] = ()
    people: int = 1

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"user": self.user, "roles": [list(group) for group in self.roles], "people": self.people}

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Approvers:
        """Return what `as_json` wrote. Raises KeyError or TypeError for anything else."""
        return cls(
            user=bool(fields["user"]), roles=tuple(map(tuple, fields["roles"])), people=max(1, int(fields["people"]))
        )

    def refusal(self, user: str | None, person: Approver) -> str:
        """Return why a person may not answer for a run of a user; empty if they may."""
        if not person.is_known and (self != ANYONE or not person.name):
            return "nobody knows who answers"
        if self.user and person.name != user:
            return (
                f"only {user} may answer, the user of the run" if user else "the run has no user, who alone may answer"
            )
        for group in self.roles:
            if not set(group) & set(person.roles):
                return f"only {' or '.join(group)} may answer"
        return ""

    def obstacle(self, user: str | None, person: Approver | None) -> str:
        """Return why one person alone cannot allow a call of a user, and where it can be allowed; empty if they can.

        None is somebody nobody knows.
        """
        if person is None or not (person.is_known or self == ANYONE):
            why = f"it needs the answer of {self}, and nobody knows who answers here"
        elif not (why := self.refusal(user, person)) and self.people > 1:
            why = f"it needs the answer of {self}, and one person answers here"
        return why and f"{why}; {IN_RUNS}"

    def missing(self, user: str | None, people: Sequence[Approver]) -> str:
        """Return why a call may not run that these people have allowed; empty if it may."""
        if not people:
            return f"it needs the answer of {self}, and who has answered is not known"
        refused = next((f"{each.name}: {why}" for each in people if (why := self.refusal(user, each))), "")
        if refused:
            return refused
        different = len({each.identity for each in people})
        if different < self.people:
            return f"{self.people} people must allow it, and {different} did"
        return ""

    def __str__(self) -> str:
        who = ["the user of the run"] if self.user else []
        who += [" or ".join(group) for group in self.roles]
        named = " and ".join(who)
        if self.people == 1:
            return named or "someone"
        return f"{self.people} people{', each of them ' if named else ''}{named}"


def combined(rules: Sequence[Mapping[str, Any]]) -> Approvers | None:
    """Return what several rules of policies say together: all of them hold. None without any."""
    if not rules:
        return None
    groups = dict.fromkeys(tuple(rule["roles"]) for rule in rules if rule.get("roles"))
    return Approvers(
        user=any(rule.get("user", False) for rule in rules),
        roles=tuple(groups),
        people=max(rule.get("people", 1) for rule in rules),
    )


ANYONE: Final = Approvers()
"""Who may answer where no policy says so: whoever can."""

IN_RUNS: Final = "`toolgen runs approve` takes such answers, for durable runs"
"""Where people answer who cannot do so at the door of a call."""
