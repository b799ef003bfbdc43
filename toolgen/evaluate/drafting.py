"""Drafts of cases: from recorded calls and published sets, and for what search confuses or no case expects."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from typing import TYPE_CHECKING, Any, Final

from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.documents.evaluation import EvalFile
from toolgen.compiler.documents.read import read_document
from toolgen.compiler.source.read import parse_spec
from toolgen.evaluate.cases import cases_of
from toolgen.llm.search.index import SearchIndex, search_documents_of
from toolgen.runtime.catalog.known_tools import KnownTools
from toolgen.runtime.redact.redacted import redacted_places
from toolgen.schema.compact import model_args_schema
from toolgen.schema.free_names import free_name
from toolgen.schema.json_values import is_array, is_object
from toolgen.spec.builtin import BUILTIN_TOOLSETS
from toolgen.spec.text import cut, visible
from toolgen.testing.recordings import key_of

if TYPE_CHECKING:
    from toolgen.evaluate.cases import Case
    from toolgen.evaluate.published import PublishedTask
    from toolgen.llm.search.vectors import Vectors
    from toolgen.runtime.catalog.catalog import Catalog
    from toolgen.testing.recordings import Take

CONFUSED: Final = 0.7
"""The share of its own score from which another tool counts as confused with a tool, by words."""

CONFUSED_VECTORS: Final = 0.9
"""The same by vectors, whose scores lie closer together."""

_NEAREST: Final = 3
"""Tools that are looked at for each description."""

_MOST_DRAFTS: Final = 1_000
"""Cases that are drafted."""

_SUGGESTED: Final = 20
"""Tasks with unknown tools for which similar names are looked up, which takes some 40 ms among thousands of tools."""

_LARGEST_FILE: Final = 4 * 1024 * 1024
"""Characters of the drafted cases, of those too that are not valid."""

_LONGEST: Final = 200
"""Characters of a text in a drafted question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCall:
    """A call that is right: its tool, args with their values, and args with a JSON Schema of what is right."""

    ident: str
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A case to complete: its key, why it is there, what is asked, and the calls that are right.

    `messages` are what the user (True) and the model (False) said.
    """

    key: str
    why: str
    messages: tuple[tuple[bool, str], ...]
    calls: tuple[DraftCall, ...]
    any_order: bool = False
    turns: int = 1
    allow: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusedPair:
    """Two tools that search does not tell apart: asked by the description of one, it scores the other nearly as high.

    `share` is the score of the other in relation to that of the tool itself; from 1 on, the other is found first.
    `by` is `words`, or `vectors` where only those of the embedding model are alike.
    """

    ident: str
    other: str
    share: float
    by: str = "words"


def confused_pairs(catalog: Catalog, vectors: Vectors | None = None) -> list[ConfusedPair]:
    """Return the pairs of tools that search confuses, by their words or by vectors; the most similar first.

    Raises EmbeddingError, as `vectors` does.
    """
    idents = [
        ident for toolset, idents in catalog.toolsets.items() if toolset not in BUILTIN_TOOLSETS for ident in idents
    ]
    index = SearchIndex.build(search_documents_of(catalog, idents))
    asked = {ident: _asked(catalog, ident) for ident in idents}
    worded = ({hit.key: hit.score for hit in index.search(asked[ident], _NEAREST)} for ident in idents)
    found = _pairs(idents, worded, "words")
    if vectors is not None:
        found = {**_pairs(idents, (vectors.nearness(asked[ident], idents) for ident in idents), "vectors"), **found}
    return sorted(found.values(), key=lambda pair: (-pair.share, pair.ident, pair.other))


def _pairs(idents: Sequence[str], scores: Iterable[Mapping[str, float]], by: str) -> dict[frozenset[str], ConfusedPair]:
    """Return the pairs of tools of which one has a high score where the other is asked for, each with its best share.

    `scores` are those of tools where each is asked for in turn.
    """
    least = CONFUSED if by == "words" else CONFUSED_VECTORS
    found: dict[frozenset[str], ConfusedPair] = {}
    for ident, scored in zip(idents, scores, strict=True):
        own = scored.get(ident, 0.0)
        for other in nlargest(_NEAREST, scored, key=lambda key: scored[key]):
            share = scored[other] / own if own else float("inf")
            pair = frozenset((ident, other))
            if other != ident and share >= least and (pair not in found or found[pair].share < share):
                found[pair] = ConfusedPair(ident=ident, other=other, share=share, by=by)
    return found


def suggestions(
    catalog: Catalog, cases: Sequence[Case], pairs: Iterable[ConfusedPair]
) -> tuple[list[Draft], list[str]]:
    """Return drafts for pairs that search confuses, and for tools and values of enums that no case expects.

    The second value is what is left out, and why.
    """
    return _collected(catalog, _suggested(catalog, cases, pairs))


def _suggested(catalog: Catalog, cases: Sequence[Case], pairs: Iterable[ConfusedPair]) -> Iterator[Draft]:
    """Yield what is suggested; several drafts may have the same key, as the tools of two toolsets."""
    confused: set[tuple[str, str]] = set()
    for pair in pairs:
        for ident, other in ((pair.ident, pair.other), (pair.other, pair.ident)):
            if (ident, other) not in confused:
                confused.add((ident, other))
                key = f"{_key(ident)}-not-{_key(other)}"
                why = f"search confuses it by {pair.by} with {other}: {min(pair.share, 1):.0%} of its score"
                yield _draft(catalog, key, why, ident, avoid=(other,))
    covered = {ident for case in cases for ident in case.idents} | {ident for ident, _ in confused}
    values = _values_in(cases)
    for toolset, idents in catalog.toolsets.items():
        if toolset in BUILTIN_TOOLSETS:
            continue
        for ident in idents:
            if ident not in covered:
                yield _draft(catalog, _key(ident), "no case expects it", ident)
            for name, value in _enum_values(catalog, ident):
                if (ident, name, key_of(value)) not in values:
                    values.add((ident, name, key_of(value)))
                    key = f"{_key(ident)}-{_word(name)}-{_word(str(value))}"
                    why = f"no case has {_json(value)} for `{name}`"
                    yield _draft(catalog, key, why, ident, args=_with_value(catalog, ident, name, value))


def drafts_of_calls(catalog: Catalog, takes: Iterable[Take]) -> tuple[list[Draft], list[str]]:
    """Return a draft for each recorded call, which says whether the call failed; and what is left out, and why."""
    return _collected(catalog, (_recorded(catalog, take, number) for number, take in enumerate(takes, 1)))


def _recorded(catalog: Catalog, take: Take, number: int) -> Draft:
    call, why = call_of(take), f"recorded: {take.place}"
    if take.error is not None:
        why = f"{why}, where it failed ({take.error.kind}): {cut(take.error.message, _LONGEST)}"
    return _draft(catalog, f"{_key(take.ident)}-{number}", why, take.ident, args=call.args, fields=call.fields)


def call_of(take: Take) -> DraftCall:
    """Return a recorded call as one that is expected; args with redacted values must only be given."""
    hidden = [name for name, value in take.arguments.items() if redacted_places(value)]
    args = {name: value for name, value in take.arguments.items() if name not in hidden}
    return DraftCall(ident=take.ident, args=args, fields=dict.fromkeys(hidden, True))


def _collected(catalog: Catalog, drafts: Iterable[Draft]) -> tuple[list[Draft], list[str]]:
    """Return the drafts that are valid and that one file has room for, with keys of their own, and why others are not.

    That others have no room comes first.
    """
    found: dict[str, Draft] = {}
    numbers: dict[str, int] = {}
    problems: list[str] = []
    size = 0
    rest = iter(drafts)
    for draft in rest:
        place = f"{draft.calls[0].ident} ({draft.why})"
        size += sum(map(len, _case_lines(draft)))
        if size > _LARGEST_FILE or len(found) == _MOST_DRAFTS:
            problems.insert(0, _no_room(1 + sum(1 for _ in rest), place))
            break
        named = replace(draft, key=_free(draft.key, found, numbers))
        if problem := _problem(named, catalog):
            problems.append(f"{place}: {problem}")
        else:
            found[named.key] = named
    return list(found.values()), problems


def _no_room(count: int, first: str) -> str:
    bound = f"an evaluation gets at most {_MOST_DRAFTS:,} drafts, and {_LARGEST_FILE:,} characters"
    return f"{count:,} {'case' if count == 1 else 'cases'}, first {first}: {bound}"


def drafts_of_tasks(catalog: Catalog, tasks: Iterable[PublishedTask]) -> tuple[list[Draft], list[str]]:
    """Return a draft for each task of a published set that fits the tools, and why the others do not, with the place.

    A task that asks nothing gets a question from the description of its first tool.
    """
    known = KnownTools(catalog.spelled_tools())
    reads = any(catalog.entry(ident).permission == "readonly" for ident in catalog)
    drafts: dict[str, Draft] = {}
    numbers: dict[str, int] = {}
    problems: list[str] = []
    size = 0
    unknown: dict[str, str] = {}
    rest = iter(tasks)
    for task in rest:
        for call in task.calls:
            if call.tool not in unknown:
                unknown[call.tool] = _unknown(known, call.tool, is_suggested=len(problems) < _SUGGESTED)
        problem = task.problem or next((why for call in task.calls if (why := unknown[call.tool])), "")
        if problem:
            problems.append(f"{task.place}: {problem}")
            continue
        calls = tuple(
            DraftCall(ident=known.find(tool)[0], args=args, fields=fields) for tool, args, fields in task.calls
        )
        named = task.name or f"{_key(calls[0].ident) if calls else 'none'}-{len(drafts) + 1}"
        key = _free(_word(named), drafts, numbers)
        draft = Draft(
            key=key,
            why=task.place,
            messages=task.messages or ((True, _question(catalog, calls[0])),),
            calls=calls,
            any_order=task.any_order and len(calls) > 1,
            turns=task.turns,
            allow=("*+readonly",) if task.turns > 1 and reads else (),
        )
        size += sum(map(len, _case_lines(draft)))
        if size > _LARGEST_FILE or len(drafts) == _MOST_DRAFTS:
            problems.insert(0, _no_room(1 + sum(1 for _ in rest), task.place))
            break
        if problem := _problem(draft, catalog):
            problems.append(f"{task.place}: {problem}")
        else:
            drafts[key] = draft
    return list(drafts.values()), problems


def _unknown(known: KnownTools, tool: str, *, is_suggested: bool) -> str:
    """Return why a name is not that of one tool."""
    idents = known.find(tool)
    if len(idents) == 1:
        return ""
    if idents:
        return f"{visible(tool)} may be {', '.join(idents[:_NEAREST])}"
    meant = known.nearest(tool) if is_suggested else ()
    return f"there is no tool {visible(tool)}{f'; did you mean {meant[0]}?' if meant else ''}"


def _free(key: str, taken: Container[str], numbers: dict[str, int]) -> str:
    return free_name(key if re.match(r"[A-Za-z0-9_]", key) else f"_{key}", taken, numbers, between="-")


def _problem(draft: Draft, catalog: Catalog) -> str:
    """Return why a draft is no valid case: it is checked as one that a person wrote; empty if it is one."""
    sink = Diagnostics()
    spec = parse_spec("draft.eval.yaml", written("draft", [draft]), sink)
    document = None if spec is None else read_document(spec, EvalFile, sink)
    if document is not None:
        cases_of([document], [catalog], sink)
    return next((each.message for each in sink), "")


def written(name: str, drafts: Sequence[Draft], pairs: Sequence[ConfusedPair] = ()) -> str:
    """Return an evaluation with drafts, as YAML; values are in the form of JSON."""
    return "\n".join(_lines(name, drafts, pairs)) + "\n"


def _lines(name: str, drafts: Sequence[Draft], pairs: Sequence[ConfusedPair]) -> Iterator[str]:
    yield "# Drafts: put each question in the words of a user, who does not know the names and descriptions of tools."
    for pair in pairs:
        yield f"# search confuses {visible(pair.ident)} by {pair.by} with {visible(pair.other)}"
    yield "toolgen: 1"
    yield f"eval: {name}"
    yield "tags: [draft]"
    yield "cases:" if drafts else "cases: {}"
    for draft in drafts:
        yield f"  {_json(draft.key)}:  # {visible(draft.why)}"
        yield from (f"    {line}" for line in _case_lines(draft))


def _case_lines(draft: Draft) -> Iterator[str]:
    """Yield the keys of a case, each on one line."""
    if len(draft.messages) == 1:
        yield f"question: {_json(draft.messages[0][1])}"
    else:
        said = [{"user" if of_user else "assistant": text} for of_user, text in draft.messages]
        yield f"messages: {_json(said)}"
    yield f"expect: [{', '.join(_call(each) for each in draft.calls)}]"
    if draft.any_order:
        yield "any_order: true"
    if draft.turns > 1:
        yield f"turns: {draft.turns}"
    for key, selectors in (("allow", draft.allow), ("avoid", draft.avoid)):
        if selectors:
            yield f"{key}: {_json(list(selectors))}"


def _call(call: DraftCall) -> str:
    members = [f"call: {_json(call.ident)}"]
    members += [f"{key}: {_json(dict(args))}" for key, args in (("args", call.args), ("fields", call.fields)) if args]
    return f"{{{', '.join(members)}}}"


def _draft(
    catalog: Catalog,
    key: str,
    why: str,
    ident: str,
    *,
    args: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    avoid: tuple[str, ...] = (),
) -> Draft:
    """Return a draft, with the args of the first example of the tool unless there are some."""
    examples = catalog.definition(ident).settings.examples
    chosen = args if args is not None else examples[0].args if examples else {}
    call = DraftCall(ident=ident, args=chosen, fields=fields or {})
    return Draft(key=key, why=why, messages=((True, _question(catalog, call)),), calls=(call,), avoid=avoid)


def _question(catalog: Catalog, call: DraftCall) -> str:
    """Return a question that asks for a call, from the description of its tool and the args."""
    asked = _asked(catalog, call.ident)
    shown = ", ".join(f"{name} {_shown(value)}" for name, value in call.args.items())
    return f"{asked} ({shown})" if shown else asked


def _asked(catalog: Catalog, ident: str) -> str:
    """Return the first sentence of a description, without its full stop."""
    description = " ".join(catalog.definition(ident).description.split())
    first = re.split(r"(?<=[.!?])\s", description, maxsplit=1)[0].rstrip(".")
    return first[:_LONGEST] or _key(ident)


def _values_in(cases: Sequence[Case]) -> set[tuple[str, str, bytes]]:
    """Return the tools, args and values that cases expect."""
    calls = [call for case in cases for group in case.expected or () for call in group]
    return {(call.call, name, key_of(value)) for call in calls for name, value in call.args.items()}


def _enum_values(catalog: Catalog, ident: str) -> Iterator[tuple[str, Any]]:
    definition = catalog.definition(ident)
    schema = model_args_schema(definition.input_schema, definition.settings.inject)
    for name, each in schema.get("properties", {}).items():
        allowed = each.get("enum") if is_object(each) else None
        if is_array(allowed):
            yield from ((name, value) for value in allowed if value is not None)


def _with_value(catalog: Catalog, ident: str, name: str, value: Any) -> dict[str, Any]:
    """Return the args of the first example of a tool with another value, or the value alone if they do not fit then."""
    examples = catalog.definition(ident).settings.examples
    args = {**examples[0].args, name: value} if examples else {}
    return args if args and not catalog.codec(ident, "args").check(args) else {name: value}


def _key(ident: str) -> str:
    return _word(ident.rpartition(".")[2])


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:60].strip("-.") or "value"


def _shown(value: Any) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _LONGEST)


def _json(value: Any) -> str:
    """Return a value as JSON, but for hidden characters, which are escapes of YAML: it has no surrogate pairs."""
    return visible(json.dumps(value, ensure_ascii=False))
