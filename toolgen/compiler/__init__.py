"""The compiler: specs in, packages out. Never imported by the runtime. The modules below are private."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.compiler.build import BuiltTarget as BuiltTarget
    from toolgen.compiler.build import CheckedTarget as CheckedTarget
    from toolgen.compiler.build import build_target as build_target
    from toolgen.compiler.build import check_target as check_target
    from toolgen.compiler.diagnostics import Diagnostic as Diagnostic
    from toolgen.compiler.diagnostics import Diagnostics as Diagnostics
    from toolgen.compiler.diagnostics import Related as Related
    from toolgen.compiler.diagnostics import Severity as Severity
    from toolgen.compiler.diagnostics import Span as Span
    from toolgen.compiler.diagnostics.render import render_concise as render_concise
    from toolgen.compiler.diagnostics.render import render_json as render_json
    from toolgen.compiler.diagnostics.render import render_text as render_text
    from toolgen.compiler.project.config import Config as Config
    from toolgen.compiler.project.config import ConfigError as ConfigError
    from toolgen.compiler.project.config import Target as Target
    from toolgen.compiler.project.config import load_config as load_config
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Config": ".project.config",
            "ConfigError": ".project.config",
            "Target": ".project.config",
            "load_config": ".project.config",
            "BuiltTarget": ".build",
            "CheckedTarget": ".build",
            "build_target": ".build",
            "check_target": ".build",
            "Diagnostic": ".diagnostics",
            "Diagnostics": ".diagnostics",
            "Related": ".diagnostics",
            "Severity": ".diagnostics",
            "Span": ".diagnostics",
            "render_concise": ".diagnostics.render",
            "render_json": ".diagnostics.render",
            "render_text": ".diagnostics.render",
        },
    )
