"""Call builders of `odd`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_published_call(
    *,
    from_: str,
    class_: str,
    Content_Type: str,
    PM2_5: int | float,
    r_d: bool,
    n0_18: int,
    asset_id: str,
    array: list[str],
    camelCase: str,
    groe: int | float | None = None,
    x77710aed: str | None = None,
    naive_cafe: str | None = None,
    select: str | None = None,
    type_: str | None = None,
    a_b_c: str | None = None,
    x_y_z: str | None = None,
    n100: int | float | None = None,
    x3973e022: str | None = None,
    xf0443a34: str | None = None,
    quote_s: str | None = None,
    back_slash: str | None = None,
    line_break: str | None = None,
    braces: str | None = None,
    UPPER: str | None = None,
) -> ToolRequest:
    """Ask for `odd.published`: Names found in published tools.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.PUBLISHED,
        codecs.PUBLISHED_ARGS,
        {
            "from": from_,
            "class": class_,
            "Content-Type": Content_Type,
            "PM2.5": PM2_5,
            "r&d": r_d,
            "0-18": n0_18,
            " asset_id ": asset_id,
            "array[]": array,
            "camelCase": camelCase,
            "größe": groe,
            "日本語": x77710aed,
            "naïve café": naive_cafe,
            "$select": select,
            "@type": type_,
            "a.b.c": a_b_c,
            "x/y~z": x_y_z,
            "100%": n100,
            "-": x3973e022,
            "😀": xf0443a34,
            "quote\"s'": quote_s,
            "back\\slash": back_slash,
            "line\nbreak": line_break,
            "{{braces}}": braces,
            "UPPER": UPPER,
        },
    )


def new_renamed_call(
    *, padded_asset_id: str, asset_id: int | None = None, dashed_asset_id: bool | None = None
) -> ToolRequest:
    """Ask for `odd.renamed`: Names that would meet in Python are told apart by `rename`.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.RENAMED,
        codecs.RENAMED_ARGS,
        {" asset_id ": padded_asset_id, "asset_id": asset_id, "asset-id": dashed_asset_id},
    )
