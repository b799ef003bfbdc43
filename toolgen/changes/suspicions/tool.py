"""The texts of one tool, and what in them is suspicious."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from toolgen.changes.suspicions import characters, phrases
from toolgen.contract.records import NOTHING
from toolgen.schema.json_values import is_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

_PARTS: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
_IDENTIFIERS: Final = frozenset({"$schema", "$id", "id", "$ref", "$dynamicRef", "$recursiveRef", "$vocabulary"})
"""Keywords whose values are URIs that lead nowhere."""

_LONGEST: Final = 10_000
"""Characters of a text that a person can be expected to review. The longest of 2,582 published tools has 895."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_. -]{0,8}|[A-Za-z0-9_-]{0,47}")
"""Most texts, such as keywords and names of fields: none of what is looked for in texts fits in."""

_WORD: Final = re.compile(r"[`'\"]?[A-Za-z_][\w.-]*[\w`'\"]|[A-Za-z]")

_BLANK: Final = ("\n" * 12, " " * 120, "\t" * 40)
"""Stretches of blanks that move the rest of a text out of sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A finding. `pointer` is the place, from the root of the offered tool; `code` one of `toolgen explain`."""

    code: str
    tool: str
    pointer: tuple[str | int, ...]
    message: str
    fix: str


class Reviewed:
    """Texts that a person has seen, and the hosts in them: all of a spec, or of the tools that were compiled of it."""

    def __init__(self, *values: Any) -> None:
        self.texts = frozenset(text for value in values for _, text in _texts(value))
        self.hosts = frozenset(host for text in self.texts for host in _hosts(text))


class OtherTools:
    """Tools of other toolsets, by name and by what their names look like. `names` are those of each toolset."""

    def __init__(self, names: Mapping[str, Iterable[str]] = NOTHING) -> None:
        self.owners = {name: toolset for toolset, known in names.items() for name in known}
        self.looks = {characters.skeleton(name): name for name in self.owners}


_NO_TOOLS: Final = OtherTools()


def suspicions_of(
    tool: Mapping[str, Any], reviewed: Reviewed | None = None, others: OtherTools = _NO_TOOLS
) -> list[Suspicion]:
    """Return what is suspicious in the texts of a tool, an entry of `tools/list`.

    Texts that were `reviewed` are not looked at again; hosts that were not are reported. Without it, as at the first
    import, all texts are looked at, and no hosts.
    """
    name = str(tool.get("name", ""))
    known: frozenset[str] = frozenset() if reviewed is None else reviewed.texts
    found: dict[tuple[str, str], Suspicion] = {}

    def report(code: str, pointer: tuple[str | int, ...], message: str, fix: str) -> None:
        found.setdefault((code, message), Suspicion(code=code, tool=name, pointer=pointer, message=message, fix=fix))

    if name not in known:
        for message in _of_name(name, others):
            report("TG819", ("name",), message, "check that calls of either tool cannot be mistaken for the other")
    for part in _PARTS:
        for inner, text in _texts(tool.get(part)):
            if text in known:
                continue
            pointer = (part, *inner)
            for code, message, fix in _of_text(text):
                report(code, pointer, message, fix)
            for message in _mentions(text, name, others.owners):
                report("TG818", pointer, message, "remove the text, or review how the two work together")
            if reviewed is not None and pointer[-1] not in _IDENTIFIERS:
                for host in sorted(_hosts(text) - reviewed.hosts):
                    report("TG817", pointer, f"the text leads to `{host}`, and did not before", "check whose it is")
    for inner, message in _asked(tool.get("inputSchema"), known, tool.get("description")):
        report("TG820", ("inputSchema", *inner), message, "leave it out, or let the host inject the value")
    return list(found.values())


def _texts(value: Any, pointer: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every text, keys of objects among them, with its place."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [(pointer, value)]
    while pending:
        place, each = pending.pop()
        match each:
            case str():
                yield place, each
            case dict():
                for key in each:
                    yield (*place, key), key
                pending.extend(((*place, key), inner) for key, inner in reversed(each.items()))
            case list() | tuple():
                pending.extend(((*place, index), inner) for index, inner in reversed(list(enumerate(each))))
            case _:
                pass


def _of_text(text: str) -> Iterator[tuple[str, str, str]]:
    if _PLAIN_WORD.fullmatch(text):
        return
    if hidden := characters.invisible(text):
        spelled = characters.hidden_text(text)
        what = f", which spell `{_cut(spelled)}`" if spelled else ""
        yield "TG810", f"the text has invisible characters, {characters.shown(hidden)}{what}", "remove them"
    if turned := characters.directional(text):
        yield "TG811", f"the text has controls of text direction, {characters.shown(turned)}", "remove them"
    if codes := characters.controls(text):
        yield "TG812", f"the text has control codes, {characters.shown(codes)}", "remove them"
    read = characters.as_read(text)
    if found := phrases.INSTRUCTION.search(read):
        yield "TG813", f"the text instructs the model: `{_cut(found[0])}`", "describe what the tool does, and no more"
    if found := phrases.MARKUP.search(text) or phrases.MARKUP.search(read):
        yield "TG814", f"the text has hidden or imitated markup: `{_cut(found[0])}`", "remove it"
    if found := phrases.ENCODED.search(text):
        yield "TG815", f"the text has encoded data: `{_cut(found[0])}`", "decode it and read it, or remove it"
    if len(text) > _LONGEST:
        yield "TG816", f"the text has {len(text):,} characters, more than a person reviews", "shorten it"
    if any(blank in text for blank in _BLANK):
        yield "TG816", "the text has a blank stretch that moves the rest of it out of sight", "remove it"
    if found := phrases.SENSITIVE_PLACE.search(read):
        yield "TG821", f"the text names `{_cut(found[0])}`, where keys or configuration are", "remove it"


def _of_name(name: str, others: OtherTools) -> Iterator[str]:
    if name in others.owners:
        yield f"{others.owners[name]} has a tool of the same name"
    elif (look := characters.skeleton(name)) in others.looks and look:
        other = others.looks[look]
        yield f"the name looks like `{other}` of {others.owners[other]}"
    elif not name.isascii() and characters.as_read(name).isascii():
        yield f"the name is spelled with letters that look like those of `{characters.as_read(name)}`"


def _mentions(text: str, name: str, owners: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of other servers' tools that a text has; a plain word only where it is said to be a tool."""
    if not owners or text == name:
        return
    words = _WORD.findall(characters.as_read(text))
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        found = word.strip("`'\"")
        if found in owners and (_is_distinct(found) or word != found or "tool" in (before.lower(), after.lower())):
            yield f"the text names `{found}`, a tool of {owners[found]}"


def _is_distinct(name: str) -> bool:
    """Return whether a name is none that a sentence has as a word."""
    return not name.isalpha() or any(low.islower() and high.isupper() for low, high in pairwise(name))


def _hosts(text: str) -> set[str]:
    return {host.lower().rstrip(".") for found in phrases.ADDRESS.finditer(text) for host in found.groups() if host}


def _is_prompt_to_write(name: str, text: Any, about: Any) -> bool:
    """Whether a parameter is the prompt of a model that the tool runs, and not that of the model that calls it."""
    return (
        phrases.PROMPT.fullmatch(name) is not None
        and isinstance(about, str)
        and phrases.RUNS_MODEL.search(about) is not None
        and not (isinstance(text, str) and phrases.OWN_PROMPT.search(text))
    )


def _asked(schema: Any, known: Collection[str], about: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the parameters that ask for the conversation, the prompt or keys."""
    properties = schema.get("properties") if is_object(schema) else None
    if not is_object(properties):
        return
    for name, field in properties.items():
        text = field.get("description", "") if is_object(field) else ""
        if _is_prompt_to_write(name, text, about):
            continue
        if phrases.ASKED.search(name) and name not in known:
            yield ("properties", name), f"the parameter `{_cut(name)}` asks for what is not the tool's"
        elif isinstance(text, str) and text not in known and (found := phrases.ASKED_TEXT.search(text)):
            yield ("properties", name, "description"), f"the parameter `{_cut(name)}` asks for `{_cut(found[0])}`"


def _cut(text: str, length: int = 80) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
