"""CodeAct: a model acts by writing Python, which runs in a sandbox and whose calls take the pipeline."""

from __future__ import annotations

from toolgen.runtime.presentations.codeact.limits import CodeActLimits
from toolgen.runtime.presentations.codeact.presentation import CodeAct
from toolgen.runtime.presentations.codeact.stubs import CompiledStubs, read_stubs
from toolgen.runtime.presentations.codeact.worker import SandboxUnavailable

__all__ = ["CodeAct", "CodeActLimits", "CompiledStubs", "SandboxUnavailable", "read_stubs"]
