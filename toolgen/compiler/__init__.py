"""The compiler: specs in, packages out. Never imported by the runtime."""

from __future__ import annotations

from toolgen.compiler.build import build, check

__all__ = ["build", "check"]
