"""CodeAct: a model acts by writing Python, which runs in a sandbox and whose calls go through the pipeline."""

from __future__ import annotations

from toolgen.llm.codeact.presentation import CodeAct
from toolgen.llm.codeact.stubs import CompiledStubs, read_stubs
from toolgen.llm.sandbox.pool import SandboxPool
from toolgen.llm.sandbox.process import CodeActLimits, SandboxUnavailable

__all__ = ["CodeAct", "CodeActLimits", "CompiledStubs", "SandboxPool", "SandboxUnavailable", "read_stubs"]
