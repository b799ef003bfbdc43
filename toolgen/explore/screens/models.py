"""Models: the tools as a model gets them, for each provider and each presentation, with their bytes and tokens."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolgen.explore.screens.surface import choices_of
from toolgen.explore.visit import Refused
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.costs import token_counter
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.providers.table import PROVIDERS, provider
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.json_values import compact_json
from toolgen.spec.tool_use import LAYERS, LEXICAL, PRESENTATIONS

if TYPE_CHECKING:
    from toolgen.explore.visit import Data, Visit
    from toolgen.spec.tool_use import PresentationName

_ROWS: Final = 500
"""Tools whose bytes are listed."""


async def models(visit: Visit) -> Data:
    """Return the members of a request, the section of the system prompt, and the bytes and tokens of each tool.

    Tokens are null where no tokenizer is installed, and of a text that cannot be counted.
    """
    wanted = visit.fields.get("provider") or "openai"
    shown_as = visit.fields.get("presentation") or "enumerate-all"
    if wanted not in PROVIDERS:
        raise Refused(404, f"there is no such provider; there are {', '.join(PROVIDERS)}")
    known: dict[str, PresentationName] = {each: each for each in PRESENTATIONS}
    presentation = known.get(shown_as)
    if presentation is None:
        raise Refused(404, f"there is no such presentation; there are {', '.join(PRESENTATIONS)}")
    visit.run  # noqa: B018  # raises for an unknown agent, before a thread is started
    return await asyncio.to_thread(_measured, visit, wanted, presentation)


def _measured(visit: Visit, wanted: str, shown_as: PresentationName) -> Data:
    data: Data = {
        **choices_of(visit),
        "provider": wanted,
        "presentation": shown_as,
        "providers": list(PROVIDERS),
        "presentations": list(PRESENTATIONS),
        "problem": "",
        "prompt": "",
        "payload": "",
        "payload_left_out": 0,
        "payload_bytes": 0,
        "prompt_bytes": 0,
        "payload_tokens": None,
        "prompt_tokens": None,
        "uncounted": "",
        "tools": [],
        "differences": [],
        "left_out": [],
    }
    config = visit.explorer.tool_use or ToolUseConfig()
    embedding = config.embedding_class or (LEXICAL if shown_as == "retrieval" else "")
    config = replace(config, presentations=dict.fromkeys(LAYERS, shown_as), embedding_class=embedding)
    use = ToolUse(visit.explorer.runtime.catalog, config, searches=False)
    try:
        listing = use.presentation("chat", visit.run, wanted).build_presentation()
    except (CatalogError, UnsupportedCapability) as error:
        return {**data, "problem": str(error)}
    api = provider(wanted)
    payload = api.tools(listing.tools)
    whole = compact_json(dict(payload.fields))
    text, left = visit.cut(whole)
    count, uncounted = token_counter()
    texts = [(each, compact_json(dict(api.tools([each]).fields))) for each in listing.tools[:_ROWS]]
    rows = [
        {"tool": each.ident, "name": each.name, "bytes": len(one.encode()), "tokens": count(one) if count else None}
        for each, one in texts
    ]
    return {
        **data,
        "prompt": visit.cut(listing.prompt)[0],
        "payload": text,
        "payload_left_out": left,
        "payload_bytes": len(whole.encode()) if listing.tools else 0,
        "prompt_bytes": len(listing.prompt.encode()),
        "payload_tokens": count(whole) if count and listing.tools else None,
        "prompt_tokens": count(listing.prompt) if count else None,
        "uncounted": uncounted,
        "tools": sorted(rows, key=lambda row: -int(str(row["bytes"]))),
        "differences": [f"{each.tool}{each.pointer}: {each.keyword}" for each in payload.differences[:100]],
        "left_out": [str(each) for each in payload.problems[:100]],
    }
