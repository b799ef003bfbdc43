"""Types of the tool `short`, in `deep`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class ShortArgsABItemCDItemItemEFG(ClosedModel):
    h: str


class ShortArgsABItemCDItemItemEF(ClosedModel):
    g: ShortArgsABItemCDItemItemEFG


class ShortArgsABItemCDItemItemE(ClosedModel):
    f: ShortArgsABItemCDItemItemEF


class ShortArgsABItemCDItemItem(ClosedModel):
    e: ShortArgsABItemCDItemItemE


class ShortArgsABItemC(ClosedModel):
    d: list[list[ShortArgsABItemCDItemItem]]


class ShortArgsABItem(ClosedModel):
    c: ShortArgsABItemC


class ShortArgsA(ClosedModel):
    b: list[ShortArgsABItem]


class ShortArgs(ClosedModel):
    """Args of `short`: In the short form."""

    a: ShortArgsA


ShortResult: TypeAlias = JsonValue
