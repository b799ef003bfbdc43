"""Diagnostics: what is wrong in the input, where, and how to fix it."""

from __future__ import annotations

from toolgen.compiler.diagnostics.diagnostic import Diagnostic, Diagnostics, Related, Severity, Span

__all__ = ["Diagnostic", "Diagnostics", "Related", "Severity", "Span"]
