"""Args as people are shown them: without secrets, with nothing that steers a terminal, and cut to a bound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolgen.contract.visible import visible
from toolgen.runtime.redact import redact
from toolgen.runtime.text_templates import render

if TYPE_CHECKING:
    from collections.abc import Iterable


def summary(args: Any, secrets: Iterable[str], length: int) -> str:
    """The args as JSON on one line. `secrets` are JSON pointers of declared ones, `length` is in characters."""
    return _cut(visible(json.dumps(redact(args, secrets), ensure_ascii=False)), length)


def filled(template: str, args: Any, secrets: Iterable[str], length: int) -> str:
    """A template with args in it, each of them escaped on its own."""
    return _cut(render(template, {"args": redact(args, secrets)}, escape=visible), length) if template else ""


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
