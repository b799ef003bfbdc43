"""`objects`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.keys import (
        KeysArgs as KeysArgs,
        KeysArgsMixed as KeysArgsMixed,
        KeysArgsShortNamed as KeysArgsShortNamed,
        KeysResult as KeysResult,
    )
    from .types.maps import MapsArgs as MapsArgs, MapsArgsRecordsValue as MapsArgsRecordsValue, MapsResult as MapsResult
    from .types.openness import (
        OpennessArgs as OpennessArgs,
        OpennessArgsClosed as OpennessArgsClosed,
        OpennessArgsExplicit as OpennessArgsExplicit,
        OpennessArgsOpen as OpennessArgsOpen,
        OpennessArgsTyped as OpennessArgsTyped,
        OpennessResult as OpennessResult,
    )
    from .types.required_only import RequiredOnlyArgs as RequiredOnlyArgs, RequiredOnlyResult as RequiredOnlyResult
    from . import codecs as codecs
    from .calls import (
        new_keys_call as new_keys_call,
        new_maps_call as new_maps_call,
        new_openness_call as new_openness_call,
        new_required_only_call as new_required_only_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import KEYS as KEYS, MAPS as MAPS, OPENNESS as OPENNESS, REQUIRED_ONLY as REQUIRED_ONLY
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Handlers": ".dispatch",
            "KEYS": ".idents",
            "KeysArgs": ".types.keys",
            "KeysArgsMixed": ".types.keys",
            "KeysArgsShortNamed": ".types.keys",
            "KeysResult": ".types.keys",
            "MAPS": ".idents",
            "MapsArgs": ".types.maps",
            "MapsArgsRecordsValue": ".types.maps",
            "MapsResult": ".types.maps",
            "OPENNESS": ".idents",
            "OpennessArgs": ".types.openness",
            "OpennessArgsClosed": ".types.openness",
            "OpennessArgsExplicit": ".types.openness",
            "OpennessArgsOpen": ".types.openness",
            "OpennessArgsTyped": ".types.openness",
            "OpennessResult": ".types.openness",
            "REQUIRED_ONLY": ".idents",
            "RequiredOnlyArgs": ".types.required_only",
            "RequiredOnlyResult": ".types.required_only",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_keys_call": ".calls",
            "new_maps_call": ".calls",
            "new_openness_call": ".calls",
            "new_registration": ".dispatch",
            "new_required_only_call": ".calls",
        },
    )
