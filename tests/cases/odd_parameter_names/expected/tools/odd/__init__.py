"""`odd`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.published import PublishedArgs as PublishedArgs, PublishedResult as PublishedResult
    from .types.renamed import RenamedArgs as RenamedArgs, RenamedResult as RenamedResult
    from . import codecs as codecs
    from .calls import new_published_call as new_published_call, new_renamed_call as new_renamed_call
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import PUBLISHED as PUBLISHED, RENAMED as RENAMED
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "PUBLISHED": ".idents",
            "PublishedArgs": ".types.published",
            "PublishedResult": ".types.published",
            "RENAMED": ".idents",
            "RenamedArgs": ".types.renamed",
            "RenamedResult": ".types.renamed",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_published_call": ".calls",
            "new_registration": ".dispatch",
            "new_renamed_call": ".calls",
        },
    )
