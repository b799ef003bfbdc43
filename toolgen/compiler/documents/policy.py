"""The policy file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.compiler.documents.base import NonEmpty, Role, SelectorText, Spec, SpecFileHead, Word

Answer = Literal["exclude", "deny", "ask", "allow"]
Rules = dict[SelectorText, Answer]
Positive = Annotated[int, Field(ge=0)]

SENSITIVE = ["~/.ssh", "~/.gnupg", "~/.aws", "~/.config/gcloud", "*.pem", "*.key", ".env", ".env.*"]
"""Path patterns that require permission to read, unless a policy sets its own."""


class PathsSpec(Spec):
    """Where tools may write, and which paths require permission to read."""

    write_roots: list[NonEmpty] = ["."]
    tmp: bool = False
    sensitive: list[NonEmpty] = SENSITIVE


class PolicyLimitsSpec(Spec):
    """Limits for all calls; 0 means no limit."""

    timeout_ms: Positive = 120_000
    max_timeout_ms: Positive = 600_000
    result_bytes: Positive = 65_536
    children_per_run: Positive = 4
    children_per_session: Positive = 8


class PolicyFile(SpecFileHead):
    """What may be called, and what requires permission."""

    policy: Word
    rules: Rules = {}
    """Maps selectors to answers; the strictest match wins: exclude, deny, ask, allow."""
    roles: dict[Role, Rules] = {}
    """Additional rules for a role."""
    modes: dict[Word, Rules] = {}
    """Additional rules for a mode."""
    registered: list[SelectorText] = []
    """Names or patterns of tools that hosts may register: rules may name them although no spec defines them."""
    network: dict[NonEmpty, Literal["deny", "ask", "allow"]] = {"*": "ask"}
    """Maps hosts to answers; `*.example.com` matches subdomains, and the most specific name wins."""
    paths: PathsSpec = PathsSpec()
    env: list[NonEmpty] = ["PATH", "HOME", "TMPDIR"]
    """Environment variables that commands receive."""
    limits: PolicyLimitsSpec = PolicyLimitsSpec()
    on_permission_deny: Literal["stop", "continue_readonly"] = "stop"
