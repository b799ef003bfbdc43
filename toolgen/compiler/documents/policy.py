"""The policy file."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolgen.compiler.documents.base import NonEmpty, Role, SelectorText, Spec, SpecFileHead, Word

Answer = Literal["exclude", "deny", "ask", "allow"]
Rules = dict[SelectorText, Answer]
Positive = Annotated[int, Field(ge=0)]

SENSITIVE = ["~/.ssh", "~/.gnupg", "~/.aws", "~/.config/gcloud", "*.pem", "*.key", ".env", ".env.*"]
"""Paths that are asked about before they are read, unless a policy names its own."""


class PathsSpec(Spec):
    """Where tools may write, and what is asked about before it is read."""

    write_roots: list[NonEmpty] = ["."]
    tmp: bool = False
    sensitive: list[NonEmpty] = SENSITIVE


class PolicyLimitsSpec(Spec):
    """Bounds for all calls; 0 means no limit."""

    timeout_ms: Positive = 120_000
    max_timeout_ms: Positive = 600_000
    result_bytes: Positive = 65_536
    children_per_run: Positive = 4
    children_per_session: Positive = 8


class PolicyFile(SpecFileHead):
    """What may be called, and who is asked."""

    policy: Word
    rules: Rules = {}
    """Selector to answer; the strictest match wins: exclude, deny, ask, allow."""
    roles: dict[Role, Rules] = {}
    """Rules for one role, beside `rules`."""
    modes: dict[Word, Rules] = {}
    """Rules for one mode, beside `rules`."""
    registered: list[SelectorText] = []
    """Tools that hosts may register, by name or pattern: rules may name them although no spec has them."""
    network: dict[NonEmpty, Literal["deny", "ask", "allow"]] = {"*": "ask"}
    """Host to answer; `*.example.com` is its subdomains, the closest name decides."""
    paths: PathsSpec = PathsSpec()
    env: list[NonEmpty] = ["PATH", "HOME", "TMPDIR"]
    """Variables that commands see."""
    limits: PolicyLimitsSpec = PolicyLimitsSpec()
    on_permission_deny: Literal["stop", "continue_readonly"] = "stop"
