"""`crm.contacts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.methods import (
        NamesMethodResult as NamesMethodResult,
        NamesPayload as NamesPayload,
        NamesPayloadX as NamesPayloadX,
        NestedMethodResult as NestedMethodResult,
        NestedMethodResultItemsItem as NestedMethodResultItemsItem,
        NestedPayload as NestedPayload,
        NestedPayloadFilter as NestedPayloadFilter,
        NestedPayloadFilterDeep as NestedPayloadFilterDeep,
        OpenMethodResult as OpenMethodResult,
        OpenPayload as OpenPayload,
        SameMethodResult as SameMethodResult,
        SamePayload as SamePayload,
        SaveMethodResult as SaveMethodResult,
        SavePayload as SavePayload,
    )
    from .types.names import NamesArgs as NamesArgs, NamesArgsX as NamesArgsX, NamesResult as NamesResult
    from .types.nested import (
        NestedArgs as NestedArgs,
        NestedArgsFilter as NestedArgsFilter,
        NestedArgsFilterDeep as NestedArgsFilterDeep,
        NestedResult as NestedResult,
        NestedResultItemsItem as NestedResultItemsItem,
    )
    from .types.open_ import OpenArgs as OpenArgs, OpenResult as OpenResult
    from .types.same import SameArgs as SameArgs, SameResult as SameResult
    from .types.save import SaveArgs as SaveArgs, SaveResult as SaveResult
    from .types.shared import Contact as Contact, Email as Email
    from . import codecs as codecs
    from .calls import (
        new_names_call as new_names_call,
        new_nested_call as new_nested_call,
        new_open_call as new_open_call,
        new_same_call as new_same_call,
        new_save_call as new_save_call,
    )
    from .dispatch import (
        Handlers as Handlers,
        ServiceMethods as ServiceMethods,
        executor as executor,
        executor_from as executor_from,
        injections as injections,
        new_registration as new_registration,
    )
    from .idents import NAMES as NAMES, NESTED as NESTED, OPEN as OPEN, SAME as SAME, SAVE as SAVE
    from .transforms import (
        to_method_payload_names as to_method_payload_names,
        to_method_payload_nested as to_method_payload_nested,
        to_method_payload_open as to_method_payload_open,
        to_method_payload_same as to_method_payload_same,
        to_method_payload_save as to_method_payload_save,
        to_tool_return_names as to_tool_return_names,
        to_tool_return_nested as to_tool_return_nested,
        to_tool_return_open as to_tool_return_open,
        to_tool_return_same as to_tool_return_same,
        to_tool_return_save as to_tool_return_save,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "Contact": ".types.shared",
            "Email": ".types.shared",
            "Handlers": ".dispatch",
            "NAMES": ".idents",
            "NESTED": ".idents",
            "NamesArgs": ".types.names",
            "NamesArgsX": ".types.names",
            "NamesMethodResult": ".types.methods",
            "NamesPayload": ".types.methods",
            "NamesPayloadX": ".types.methods",
            "NamesResult": ".types.names",
            "NestedArgs": ".types.nested",
            "NestedArgsFilter": ".types.nested",
            "NestedArgsFilterDeep": ".types.nested",
            "NestedMethodResult": ".types.methods",
            "NestedMethodResultItemsItem": ".types.methods",
            "NestedPayload": ".types.methods",
            "NestedPayloadFilter": ".types.methods",
            "NestedPayloadFilterDeep": ".types.methods",
            "NestedResult": ".types.nested",
            "NestedResultItemsItem": ".types.nested",
            "OPEN": ".idents",
            "OpenArgs": ".types.open_",
            "OpenMethodResult": ".types.methods",
            "OpenPayload": ".types.methods",
            "OpenResult": ".types.open_",
            "SAME": ".idents",
            "SAVE": ".idents",
            "SameArgs": ".types.same",
            "SameMethodResult": ".types.methods",
            "SamePayload": ".types.methods",
            "SameResult": ".types.same",
            "SaveArgs": ".types.save",
            "SaveMethodResult": ".types.methods",
            "SavePayload": ".types.methods",
            "SaveResult": ".types.save",
            "ServiceMethods": ".dispatch",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "executor_from": ".dispatch",
            "injections": ".dispatch",
            "new_names_call": ".calls",
            "new_nested_call": ".calls",
            "new_open_call": ".calls",
            "new_registration": ".dispatch",
            "new_same_call": ".calls",
            "new_save_call": ".calls",
            "to_method_payload_names": ".transforms",
            "to_method_payload_nested": ".transforms",
            "to_method_payload_open": ".transforms",
            "to_method_payload_same": ".transforms",
            "to_method_payload_save": ".transforms",
            "to_tool_return_names": ".transforms",
            "to_tool_return_nested": ".transforms",
            "to_tool_return_open": ".transforms",
            "to_tool_return_same": ".transforms",
            "to_tool_return_save": ".transforms",
        },
    )
