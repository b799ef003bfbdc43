"""Evaluations: does a model choose the right tool, and will it still after a change.

`toolgen eval` runs them. The names here are what functions get that a case names under `check`; the modules below are
private.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgen.evaluate.matching import CalledTool as CalledTool
    from toolgen.evaluate.matching import CaseRun as CaseRun
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(__name__, {"CaseRun": ".matching", "CalledTool": ".matching"})
