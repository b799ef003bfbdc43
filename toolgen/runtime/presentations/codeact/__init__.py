"""CodeAct: a model acts by writing Python, which runs in a sandbox and whose calls take the pipeline."""

from __future__ import annotations

from toolgen.runtime.presentations.codeact.limits import CodeActLimits
from toolgen.runtime.presentations.codeact.pool import WorkerPool
from toolgen.runtime.presentations.codeact.presentation import CodeAct
from toolgen.runtime.presentations.codeact.process import SandboxUnavailable
from toolgen.runtime.presentations.codeact.stubs import CompiledStubs, read_stubs

__all__ = ["CodeAct", "CodeActLimits", "CompiledStubs", "SandboxUnavailable", "WorkerPool", "read_stubs"]
