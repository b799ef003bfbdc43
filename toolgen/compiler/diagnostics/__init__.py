"""Diagnostics: what a user got wrong, where, and how to mend it."""

from __future__ import annotations

from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Diagnostics, Related, Severity, Span

__all__ = ["Diagnostic", "Diagnostics", "Related", "Severity", "Span"]
