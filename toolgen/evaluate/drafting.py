"""Drafts of cases: from recorded calls, and for tools that search confuses or that no case expects."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from toolgen.llm.search.index import SearchIndex, search_documents_of
from toolgen.runtime.redact.credentials import REDACTED
from toolgen.schema.compact import model_args_schema
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.visible import visible

if TYPE_CHECKING:
    from toolgen.evaluate.cases import Case
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.testing.recordings import Take

CONFUSED: Final = 0.7
"""The share of the best score from which the second tool counts as confused with the first."""

_NEAREST: Final = 3
"""Tools that are looked at for each description."""

_MOST_DRAFTS: Final = 1_000
"""Cases that are drafted."""

_LONGEST: Final = 200
"""Characters of a text in a drafted question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case to complete: its key, why it is there, a question from the description, and the call that is right."""

    key: str
    why: str
    question: str
    ident: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    given: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusedPair:
    """Two tools that search does not tell apart: asked by the description of one, it scores the other nearly as high.

    `share` is the score of the other in relation to that of the tool itself; from 1 on, the other is found first.
    """

    ident: str
    other: str
    share: float


def confused_pairs(catalog: Catalog) -> list[ConfusedPair]:
    """Return the pairs of tools that search confuses, the most similar first."""
    idents = [
        ident for toolset, idents in catalog.toolsets.items() if toolset not in BUILTIN_TOOLSETS for ident in idents
    ]
    index = SearchIndex.build(search_documents_of(catalog, idents))
    found: dict[frozenset[str], ConfusedPair] = {}
    for ident in idents:
        scores = {hit.key: hit.score for hit in index.search(_asked(catalog, ident), _NEAREST)}
        own = scores.get(ident, 0.0)
        for other, score in scores.items():
            share = score / own if own else float("inf")
            pair = frozenset((ident, other))
            if other != ident and share >= CONFUSED and (pair not in found or found[pair].share < share):
                found[pair] = ConfusedPair(ident=ident, other=other, share=share)
    return sorted(found.values(), key=lambda pair: (-pair.share, pair.ident, pair.other))


def suggestions(catalog: Catalog, cases: Sequence[Case]) -> list[Draft]:
    """Return drafts for pairs that search confuses, and for tools and values of enums that no case expects."""
    drafts: dict[str, Draft] = {}
    for pair in confused_pairs(catalog):
        for ident, other in ((pair.ident, pair.other), (pair.other, pair.ident)):
            key = f"{_key(ident)}-not-{_key(other)}"
            why = f"search confuses it with {other}: {min(pair.share, 1):.0%} of its score"
            drafts.setdefault(key, _draft(catalog, key, why, ident, avoid=(other,)))
    covered = {ident for case in cases for ident in case.idents}
    mentioned = {each.ident for each in drafts.values()}
    values = _values_in(cases)
    for toolset, idents in catalog.toolsets.items():
        if toolset in BUILTIN_TOOLSETS:
            continue
        for ident in idents:
            if ident not in covered and ident not in mentioned:
                drafts.setdefault(_key(ident), _draft(catalog, _key(ident), "no case expects it", ident))
            for name, value in _enum_values(catalog, ident):
                if (ident, name, json.dumps(value)) not in values:
                    key = f"{_key(ident)}-{_word(name)}-{_word(str(value))}"
                    why = f"no case has {json.dumps(value)} for `{name}`"
                    drafts.setdefault(key, _draft(catalog, key, why, ident, args={name: value}))
    return list(drafts.values())[:_MOST_DRAFTS]


def drafts_of_calls(catalog: Catalog, takes: Iterable[Take]) -> list[Draft]:
    """Return a draft for each recorded call; args with redacted values must only be given."""
    found: list[Draft] = []
    for take in takes:
        hidden = tuple(name for name, value in take.arguments.items() if REDACTED in json.dumps(value))
        args = {name: value for name, value in take.arguments.items() if name not in hidden}
        key = f"{_key(take.ident)}-{len(found) + 1}"
        found.append(_draft(catalog, key, f"recorded: {take.place}", take.ident, args=args, given=hidden))
    return found[:_MOST_DRAFTS]


def written(name: str, drafts: Sequence[Draft], pairs: Sequence[ConfusedPair] = ()) -> str:
    """Return an evaluation with drafts, as YAML. Values are in the form of JSON, which YAML is too."""
    return "\n".join(_lines(name, drafts, pairs)) + "\n"


def _lines(name: str, drafts: Sequence[Draft], pairs: Sequence[ConfusedPair]) -> Iterator[str]:
    yield "# Drafts: put each question in the words of a user, who does not know the names and descriptions of tools."
    for pair in pairs:
        yield f"# search confuses {visible(pair.ident)} with {visible(pair.other)}"
    yield "toolgen: 1"
    yield f"eval: {name}"
    yield "tags: [draft]"
    yield "cases:" if drafts else "cases: {}"
    for draft in drafts:
        yield f"  {_json(draft.key)}:  # {visible(draft.why)}"
        yield f"    question: {_json(draft.question)}"
        call = [f"call: {_json(draft.ident)}"]
        if draft.args:
            call.append(f"args: {_json(dict(draft.args))}")
        if draft.given:
            call.append(f"fields: {_json(dict.fromkeys(draft.given, True))}")
        yield f"    expect: [{{{', '.join(call)}}}]"
        if draft.avoid:
            yield f"    avoid: {_json(list(draft.avoid))}"


def _draft(
    catalog: Catalog,
    key: str,
    why: str,
    ident: str,
    *,
    args: Mapping[str, Any] | None = None,
    given: tuple[str, ...] = (),
    avoid: tuple[str, ...] = (),
) -> Draft:
    """Return a draft, with the args of the first example of the tool unless there are some."""
    examples = catalog.definition(ident).settings.examples
    chosen = args if args is not None else examples[0].args if examples else {}
    question = _asked(catalog, ident)
    if chosen:
        question += f" ({', '.join(f'{name} {_shown(value)}' for name, value in chosen.items())})"
    return Draft(key=key, why=why, question=question, ident=ident, args=chosen, given=given, avoid=avoid)


def _asked(catalog: Catalog, ident: str) -> str:
    """Return the first sentence of a description, without its full stop."""
    description = " ".join(catalog.definition(ident).description.split())
    first = re.split(r"(?<=[.!?])\s", description, maxsplit=1)[0].rstrip(".")
    return first[:_LONGEST] or _key(ident)


def _values_in(cases: Sequence[Case]) -> Collection[tuple[str, str, str]]:
    """Return the tools, args and values that cases expect."""
    calls = [call for case in cases for group in case.expected or () for call in group]
    return {(call.call, name, json.dumps(value)) for call in calls for name, value in call.args.items()}


def _enum_values(catalog: Catalog, ident: str) -> Iterator[tuple[str, Any]]:
    definition = catalog.definition(ident)
    schema = model_args_schema(definition.input_schema, definition.settings.inject)
    for name, each in schema.get("properties", {}).items():
        allowed = each.get("enum") if is_object(each) else None
        if is_array(allowed):
            yield from ((name, value) for value in allowed if value is not None)


def _key(ident: str) -> str:
    return _word(ident.rpartition(".")[2])


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:60].strip("-.") or "value"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else _json(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _json(value: Any) -> str:
    """Return a value as JSON, with hidden characters as escapes."""
    text = json.dumps(value, ensure_ascii=False)
    return text if visible(text) == text else json.dumps(value)
