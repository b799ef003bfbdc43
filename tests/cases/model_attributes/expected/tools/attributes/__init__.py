"""`attributes`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.empty import EmptyArgs as EmptyArgs, EmptyResult as EmptyResult
    from .types.hidden import HiddenArgs as HiddenArgs, HiddenResult as HiddenResult
    from .types.parameters import ParametersArgs as ParametersArgs, ParametersResult as ParametersResult
    from .types.pydantic import (
        PydanticArgs as PydanticArgs,
        PydanticResult as PydanticResult,
        PydanticResultModelConfig as PydanticResultModelConfig,
    )
    from . import codecs as codecs
    from .calls import (
        new_empty_call as new_empty_call,
        new_hidden_call as new_hidden_call,
        new_parameters_call as new_parameters_call,
        new_pydantic_call as new_pydantic_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import EMPTY as EMPTY, HIDDEN as HIDDEN, PARAMETERS as PARAMETERS, PYDANTIC as PYDANTIC
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "EMPTY": ".idents",
            "EmptyArgs": ".types.empty",
            "EmptyResult": ".types.empty",
            "HIDDEN": ".idents",
            "Handlers": ".dispatch",
            "HiddenArgs": ".types.hidden",
            "HiddenResult": ".types.hidden",
            "PARAMETERS": ".idents",
            "PYDANTIC": ".idents",
            "ParametersArgs": ".types.parameters",
            "ParametersResult": ".types.parameters",
            "PydanticArgs": ".types.pydantic",
            "PydanticResult": ".types.pydantic",
            "PydanticResultModelConfig": ".types.pydantic",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_empty_call": ".calls",
            "new_hidden_call": ".calls",
            "new_parameters_call": ".calls",
            "new_pydantic_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
