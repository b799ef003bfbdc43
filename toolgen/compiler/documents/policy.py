"""The policy file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.compiler.documents.base import NonEmpty, SelectorText, Spec, SpecFileHead, Word
from toolgen.spec.tool_settings import Role  # noqa: TC001  # pydantic reads it

Answer = Literal["exclude", "deny", "ask", "allow"]
Rules = dict[SelectorText, Answer]
Positive = Annotated[int, Field(ge=0)]

SENSITIVE = ["~/.ssh", "~/.gnupg", "~/.aws", "~/.config/gcloud", "*.pem", "*.key", ".env", ".env.*"]
"""Path patterns that require permission to read, unless a policy sets its own."""


class PathsSpec(Spec):
    """Where tools may write, and which paths require permission to read."""

    write_roots: list[NonEmpty] = ["."]
    """Folders in which tools may write."""
    tmp: bool = False
    """Whether tools may also write in the folder for temporary files."""
    sensitive: list[NonEmpty] = SENSITIVE
    """Patterns of paths that require permission to read."""
    hard_links: bool = False
    """Whether files with several hard links are read without permission. Another of their names may be sensitive; but
    some package managers install all files so."""


class PolicyLimitsSpec(Spec):
    """Limits for all calls; 0 means no limit."""

    timeout_ms: Positive = 120_000
    """Timeout of a call in milliseconds, unless its tool has its own."""
    max_timeout_ms: Positive = 600_000
    """Maximum timeout of a tool in milliseconds."""
    result_bytes: Positive = 65_536
    """Maximum result size in bytes; a larger result is stored as an artifact."""
    children_per_run: Positive = 4
    """Maximum number of agents that a run may start."""
    children_per_session: Positive = 8
    """Maximum number of agents that run at the same time in a session."""


class ApproversSpec(Spec):
    """Who may answer the questions about a tool. What nobody can decide is refused."""

    user: bool = False
    """Whether only the user of the run may."""
    roles: list[NonEmpty] = []
    """Roles of people, of which whoever answers must have one."""
    people: Annotated[int, Field(ge=1, le=10)] = 1
    """How many different people must allow the call; one of them can deny it."""


class PolicyFile(SpecFileHead):
    """What may be called, and what requires permission."""

    policy: Word
    """The name of the policy."""
    rules: Rules = {}
    """Maps selectors to answers; the strictest match wins: exclude, deny, ask, allow."""
    roles: dict[Role, Rules] = {}
    """Additional rules for a role."""
    modes: dict[Word, Rules] = {}
    """Additional rules for a mode."""
    registered: list[SelectorText] = []
    """Names or patterns of tools that hosts may register: rules may name them although no spec defines them."""
    approvers: dict[SelectorText, ApproversSpec] = {}
    """Maps selectors to who may answer questions about such tools; of several all hold."""
    network: dict[NonEmpty, Literal["deny", "ask", "allow"]] = {"*": "ask"}
    """Maps hosts to answers; `*.example.com` matches subdomains, and the most specific name wins."""
    paths: PathsSpec = PathsSpec()
    """Where tools may write, and what requires permission to read."""
    env: list[NonEmpty] = ["PATH", "HOME", "TMPDIR"]
    """Environment variables that commands receive."""
    limits: PolicyLimitsSpec = PolicyLimitsSpec()
    """Limits for all calls."""
    on_permission_deny: Literal["stop", "continue_readonly"] = "stop"
    """What happens to the other calls of a turn after the user denied one: none run, or only readonly ones."""
