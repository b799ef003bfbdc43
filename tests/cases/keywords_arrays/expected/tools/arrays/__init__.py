"""`arrays`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.contents import ContentsArgs as ContentsArgs, ContentsResult as ContentsResult
    from .types.lengths import LengthsArgs as LengthsArgs, LengthsResult as LengthsResult
    from .types.places import PlacesArgs as PlacesArgs, PlacesResult as PlacesResult
    from .types.typeless import TypelessArgs as TypelessArgs, TypelessResult as TypelessResult
    from . import codecs as codecs
    from .calls import (
        new_contents_call as new_contents_call,
        new_lengths_call as new_lengths_call,
        new_places_call as new_places_call,
        new_typeless_call as new_typeless_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import CONTENTS as CONTENTS, LENGTHS as LENGTHS, PLACES as PLACES, TYPELESS as TYPELESS
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CONTENTS": ".idents",
            "ContentsArgs": ".types.contents",
            "ContentsResult": ".types.contents",
            "Handlers": ".dispatch",
            "LENGTHS": ".idents",
            "LengthsArgs": ".types.lengths",
            "LengthsResult": ".types.lengths",
            "PLACES": ".idents",
            "PlacesArgs": ".types.places",
            "PlacesResult": ".types.places",
            "TYPELESS": ".idents",
            "TypelessArgs": ".types.typeless",
            "TypelessResult": ".types.typeless",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_contents_call": ".calls",
            "new_lengths_call": ".calls",
            "new_places_call": ".calls",
            "new_registration": ".dispatch",
            "new_typeless_call": ".calls",
        },
    )
