"""Transforms of `crm.contacts`: between the shapes of tools and of the methods they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.building import rebuilt

from .types.methods import (
    NamesPayload,
    NamesPayloadX,
    NestedPayload,
    NestedPayloadFilter,
    OpenPayload,
    SamePayload,
    SavePayload,
)
from .types.nested import NestedResult, NestedResultItemsItem
from .types.open_ import OpenResult

if TYPE_CHECKING:
    from .types.methods import (
        NamesMethodResult,
        NestedMethodResult,
        OpenMethodResult,
        SameMethodResult,
        SaveMethodResult,
    )
    from .types.names import NamesArgs, NamesResult
    from .types.nested import NestedArgs
    from .types.open_ import OpenArgs
    from .types.same import SameArgs, SameResult
    from .types.save import SaveArgs, SaveResult


def to_method_payload_names(args_: NamesArgs, /, *, args: str, result: str, made: str, rebuilt_: str) -> NamesPayload:
    """The payload of the method `Names`, from the args of `crm.contacts.names`."""
    return NamesPayload(
        args=args, result=result, made=made, rebuilt_=rebuilt_, x=rebuilt(NamesPayloadX | None, args_.x)
    )


def to_tool_return_names(result: NamesMethodResult) -> NamesResult:
    """The result of `crm.contacts.names`, from what the method `Names` gave."""
    return result


def to_method_payload_nested(args: NestedArgs) -> NestedPayload:
    """The payload of the method `Nested`, from the args of `crm.contacts.nested`."""
    return NestedPayload(filter_=rebuilt(NestedPayloadFilter, args.filter_), from_=args.since, class_=args.class_)


def to_tool_return_nested(result: NestedMethodResult) -> NestedResult:
    """The result of `crm.contacts.nested`, from what the method `Nested` gave."""
    return NestedResult(items=rebuilt(list[NestedResultItemsItem], result.items), next_=result.next_)


def to_method_payload_open(args: OpenArgs) -> OpenPayload:
    """The payload of the method `Open`, from the args of `crm.contacts.open`."""
    made = OpenPayload(a=args.a)
    made.__pydantic_extra__ = dict(args.model_extra or {})
    return made


def to_tool_return_open(result: OpenMethodResult) -> OpenResult:
    """The result of `crm.contacts.open`, from what the method `Open` gave."""
    made = OpenResult(b=result.b)
    made.__pydantic_extra__ = dict(result.model_extra or {})
    return made


def to_method_payload_same(args: SameArgs) -> SamePayload:
    """The payload of the method `Same`, from the args of `crm.contacts.same`."""
    return SamePayload(query=args.query)


def to_tool_return_same(result: SameMethodResult) -> SameResult:
    """The result of `crm.contacts.same`, from what the method `Same` gave."""
    return result


def to_method_payload_save(args: SaveArgs, /, *, tenant_id: str) -> SavePayload:
    """The payload of the method `Save`, from the args of `crm.contacts.save`."""
    made = SavePayload(tenant_id=tenant_id, name=args.name, emails=args.emails, tag=args.tag, limit=args.limit)
    if "tag" not in args.model_fields_set:
        made.model_fields_set.discard("tag")
    return made


def to_tool_return_save(result: SaveMethodResult) -> SaveResult:
    """The result of `crm.contacts.save`, from what the method `Save` gave."""
    return result
