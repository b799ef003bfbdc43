"""`shared.types`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.methods import SaveMethodResult as SaveMethodResult, SavePayload as SavePayload
    from .types.shared import Item as Item
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__, {"Item": ".types.shared", "SaveMethodResult": ".types.methods", "SavePayload": ".types.methods"}
    )
