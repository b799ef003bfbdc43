"""Models: the tools as a model gets them, for each provider and each presentation, with their bytes and tokens."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolgen.explore.screens.surface import choices_of
from toolgen.explore.versions import named_version, other_version, project_of
from toolgen.explore.visit import Refused
from toolgen.llm import ToolUse, ToolUseConfig
from toolgen.llm.costs import token_counter
from toolgen.providers.protocol import UnsupportedCapability
from toolgen.providers.table import PROVIDERS, provider
from toolgen.runtime.base.errors import CatalogError
from toolgen.schema.json_values import compact_json
from toolgen.spec.text import hunks
from toolgen.spec.tool_use import LAYERS, LEXICAL, PRESENTATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.explore.versions import OtherVersion
    from toolgen.explore.visit import Data, Visit
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.runtime.runs.run import Run
    from toolgen.spec.tool_use import PresentationName

_ROWS: Final = 500
"""Tools whose bytes are listed."""

_AROUND: Final = 3
"""Lines before and after a difference that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What a model gets. `tools` has the name and the JSON of each tool, by ident: of all, or of the first."""

    prompt: str
    fields: Mapping[str, Any]
    count: int
    tools: Mapping[str, tuple[str, str]]
    differences: Sequence[str]
    left_out: Sequence[str]

    @property
    def text(self) -> str:
        return compact_json(dict(self.fields)) if self.count else ""

    @property
    def lines(self) -> list[str]:
        """Its members as JSON that is read line by line."""
        text = json.dumps(dict(self.fields), indent=2, ensure_ascii=False) if self.count else ""
        return text.split("\n") if text else []


async def models(visit: Visit) -> Data:
    """Return the members of a request, the section of the system prompt, and the bytes and tokens of each tool.

    Tokens are null where no tokenizer is installed, and of a text that cannot be counted.
    """
    wanted, shown_as = _wanted(visit)
    visit.run  # noqa: B018  # raises for an unknown agent, before a thread is started
    return await visit.aside(_measured, visit, wanted, shown_as)


async def models_against(visit: Visit) -> Data:
    """Return the same, and how it differs from what a model gets by another version of the specs."""
    project_of(visit)
    against = named_version(visit)
    wanted, shown_as = _wanted(visit)
    visit.run  # noqa: B018  # as above
    if not against:
        return await models(visit)
    found, problem = await other_version(visit, against)
    data = await visit.aside(_measured, visit, wanted, shown_as, found)
    return {**data, "against": against, "comparison_problem": problem or data["comparison_problem"]}


def _wanted(visit: Visit) -> tuple[str, PresentationName]:
    wanted = visit.fields.get("provider") or "openai"
    shown_as = visit.fields.get("presentation") or "enumerate-all"
    if wanted not in PROVIDERS:
        raise Refused(404, f"there is no such provider; there are {', '.join(PROVIDERS)}")
    known: dict[str, PresentationName] = {each: each for each in PRESENTATIONS}
    presentation = known.get(shown_as)
    if presentation is None:
        raise Refused(404, f"there is no such presentation; there are {', '.join(PRESENTATIONS)}")
    return wanted, presentation


def _measured(visit: Visit, wanted: str, shown_as: PresentationName, other: OtherVersion | None = None) -> Data:
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
        "may_compare": visit.may_compare,
        "against": "",
        "label": "",
        "comparison_problem": "",
    }
    try:
        most = _ROWS if other is None else None
        request = _request(visit, visit.explorer.runtime.catalog, visit.run, wanted, shown_as, most)
    except (CatalogError, UnsupportedCapability) as error:
        return {**data, "problem": str(error)}
    text, left = visit.cut(request.text)
    count, uncounted = token_counter()
    rows: list[Data] = [
        {"tool": ident, "name": name, "bytes": len(one.encode()), "tokens": count(one) if count else None}
        for ident, (name, one) in islice(request.tools.items(), _ROWS)
    ]
    measured: Data = {
        **data,
        "prompt": visit.cut(request.prompt)[0],
        "payload": text,
        "payload_left_out": left,
        "payload_bytes": len(request.text.encode()),
        "prompt_bytes": len(request.prompt.encode()),
        "payload_tokens": count(request.text) if count and request.count else None,
        "prompt_tokens": count(request.prompt) if count else None,
        "uncounted": uncounted,
        "tools": sorted(rows, key=lambda row: -int(row["bytes"])),
        "differences": request.differences,
        "left_out": request.left_out,
    }
    if other is None:
        return measured
    try:
        before = _request(visit, other.catalog, other.run, wanted, shown_as)
    except (CatalogError, UnsupportedCapability) as error:
        return {**measured, "comparison_problem": f"{other.label}: {error}"}
    return {**measured, **_compared(visit, other.label, before, request)}


def _request(
    visit: Visit, catalog: Catalog, run: Run, wanted: str, shown_as: PresentationName, most: int | None = None
) -> _Request:
    """Make a request. Raises `CatalogError`, and `UnsupportedCapability`."""
    config = visit.explorer.tool_use or ToolUseConfig()
    embedding = config.embedding_class or (LEXICAL if shown_as == "retrieval" else "")
    config = replace(config, presentations=dict.fromkeys(LAYERS, shown_as), embedding_class=embedding)
    listing = ToolUse(catalog, config, searches=False).presentation("chat", run, wanted).build_presentation()
    api = provider(wanted)
    payload = api.tools(listing.tools)
    return _Request(
        prompt=listing.prompt,
        fields=payload.fields,
        count=len(listing.tools),
        tools={each.ident: (each.name, compact_json(dict(api.tools([each]).fields))) for each in listing.tools[:most]},
        differences=[f"{each.tool}{each.pointer}: {each.keyword}" for each in payload.differences[:100]],
        left_out=[str(each) for each in payload.problems[:100]],
    )


def _compared(visit: Visit, label: str, before: _Request, after: _Request) -> Data:
    """Return the lines that differ, and the tools that do, with the bytes before and after; null where it is not."""
    payload, is_whole = hunks(before.lines, after.lines, _AROUND)
    prompt, is_whole_prompt = hunks(before.prompt.split("\n"), after.prompt.split("\n"), _AROUND)
    payload_diff, payload_left = visit.cut("\n".join(payload))
    prompt_diff, prompt_left = visit.cut("\n".join(prompt))
    texts = [(ident, before.tools.get(ident), after.tools.get(ident)) for ident in {**before.tools, **after.tools}]
    changed = [each for each in sorted(texts) if each[1] != each[2]]
    return {
        "label": label,
        "payload_bytes_before": len(before.text.encode()),
        "prompt_bytes_before": len(before.prompt.encode()),
        "payload_diff": payload_diff,
        "prompt_diff": prompt_diff,
        "is_whole": is_whole and is_whole_prompt and not payload_left and not prompt_left,
        "changed_tools": [
            {"tool": ident, "before": one and len(one[1].encode()), "after": other and len(other[1].encode())}
            for ident, one, other in changed[:_ROWS]
        ],
        "changed_count": len(changed),
    }
