"""Call builders of `yaml`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest


def new_again_call(*, limit: int = 20, ratio: int | float | None = None) -> ToolRequest:
    """Ask for `yaml.again`: Block text

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.AGAIN, codecs.AGAIN_ARGS, {"limit": limit, "ratio": ratio}, {"limit": 20})


def new_anchors_call(*, limit: int = 20, ratio: int | float | None = None) -> ToolRequest:
    """Ask for `yaml.anchors`: Block text

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.ANCHORS, codecs.ANCHORS_ARGS, {"limit": limit, "ratio": ratio}, {"limit": 20})


def new_folded_call(*, quoted_key: str, it_s: str, complex_: str, x7ace431c: str, true: int) -> ToolRequest:
    """Ask for `yaml.folded`: One line of text.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.FOLDED,
        codecs.FOLDED_ARGS,
        {"quoted key": quoted_key, "it's": it_s, "complex": complex_, "~": x7ace431c, "true": true},
    )
