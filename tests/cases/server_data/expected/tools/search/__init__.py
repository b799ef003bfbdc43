"""`search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.ask import (
        AskArgs as AskArgs,
        AskEvidenceData as AskEvidenceData,
        AskRawHitsData as AskRawHitsData,
        AskResult as AskResult,
        AskTimingData as AskTimingData,
    )
    from .types.shared import Evidence as Evidence
    from . import codecs as codecs
    from .calls import new_ask_call as new_ask_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import ASK as ASK
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "ASK": ".idents",
            "AskArgs": ".types.ask",
            "AskEvidenceData": ".types.ask",
            "AskRawHitsData": ".types.ask",
            "AskResult": ".types.ask",
            "AskTimingData": ".types.ask",
            "Evidence": ".types.shared",
            "Handlers": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_ask_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
