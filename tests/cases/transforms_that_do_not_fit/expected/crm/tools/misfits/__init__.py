"""`crm.misfits`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.deep import (
        DeepArgs as DeepArgs,
        DeepArgsFilter as DeepArgsFilter,
        DeepResult as DeepResult,
        DeepResultItemsItem as DeepResultItemsItem,
    )
    from .types.default import DefaultArgs as DefaultArgs, DefaultResult as DefaultResult
    from .types.lost import LostArgs as LostArgs, LostResult as LostResult
    from .types.methods import (
        CountMethodResult as CountMethodResult,
        CountPayload as CountPayload,
        DeepMethodResult as DeepMethodResult,
        DeepMethodResultItemsItem as DeepMethodResultItemsItem,
        DeepPayload as DeepPayload,
        DeepPayloadFilter as DeepPayloadFilter,
        DefaultMethodResult as DefaultMethodResult,
        DefaultPayload as DefaultPayload,
        FindMethodResult as FindMethodResult,
        FindPayload as FindPayload,
        NullableMethodResult as NullableMethodResult,
        NullablePayload as NullablePayload,
        OpenMethodResult as OpenMethodResult,
        OpenPayload as OpenPayload,
        OptionalMethodResult as OptionalMethodResult,
        OptionalPayload as OptionalPayload,
    )
    from .types.nullable import NullableArgs as NullableArgs, NullableResult as NullableResult
    from .types.optional import OptionalArgs as OptionalArgs, OptionalResult as OptionalResult
    from .types.other_type import OtherTypeArgs as OtherTypeArgs, OtherTypeResult as OtherTypeResult
    from .types.renamed import RenamedArgs as RenamedArgs, RenamedResult as RenamedResult
    from . import codecs as codecs
    from .calls import (
        new_deep_call as new_deep_call,
        new_default_call as new_default_call,
        new_lost_call as new_lost_call,
        new_nullable_call as new_nullable_call,
        new_optional_call as new_optional_call,
        new_other_type_call as new_other_type_call,
        new_renamed_call as new_renamed_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        DEEP as DEEP,
        DEFAULT as DEFAULT,
        LOST as LOST,
        NULLABLE as NULLABLE,
        OPTIONAL as OPTIONAL,
        OTHER_TYPE as OTHER_TYPE,
        RENAMED as RENAMED,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "CountMethodResult": ".types.methods",
            "CountPayload": ".types.methods",
            "DEEP": ".idents",
            "DEFAULT": ".idents",
            "DeepArgs": ".types.deep",
            "DeepArgsFilter": ".types.deep",
            "DeepMethodResult": ".types.methods",
            "DeepMethodResultItemsItem": ".types.methods",
            "DeepPayload": ".types.methods",
            "DeepPayloadFilter": ".types.methods",
            "DeepResult": ".types.deep",
            "DeepResultItemsItem": ".types.deep",
            "DefaultArgs": ".types.default",
            "DefaultMethodResult": ".types.methods",
            "DefaultPayload": ".types.methods",
            "DefaultResult": ".types.default",
            "FindMethodResult": ".types.methods",
            "FindPayload": ".types.methods",
            "Handlers": ".dispatch",
            "LOST": ".idents",
            "LostArgs": ".types.lost",
            "LostResult": ".types.lost",
            "NULLABLE": ".idents",
            "NullableArgs": ".types.nullable",
            "NullableMethodResult": ".types.methods",
            "NullablePayload": ".types.methods",
            "NullableResult": ".types.nullable",
            "OPTIONAL": ".idents",
            "OTHER_TYPE": ".idents",
            "OpenMethodResult": ".types.methods",
            "OpenPayload": ".types.methods",
            "OptionalArgs": ".types.optional",
            "OptionalMethodResult": ".types.methods",
            "OptionalPayload": ".types.methods",
            "OptionalResult": ".types.optional",
            "OtherTypeArgs": ".types.other_type",
            "OtherTypeResult": ".types.other_type",
            "RENAMED": ".idents",
            "RenamedArgs": ".types.renamed",
            "RenamedResult": ".types.renamed",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_deep_call": ".calls",
            "new_default_call": ".calls",
            "new_lost_call": ".calls",
            "new_nullable_call": ".calls",
            "new_optional_call": ".calls",
            "new_other_type_call": ".calls",
            "new_registration": ".dispatch",
            "new_renamed_call": ".calls",
        },
    )
