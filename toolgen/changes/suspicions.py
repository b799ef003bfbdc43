"""Suspicions: what in the texts of an offered tool may be meant to mislead a model, or the person who reviews it.

A finding is a reason to read the text, not a verdict: a text that no check knows can mislead as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from toolgen.changes.model_texts import parts_of_tool, texts_beside_tools
from toolgen.contract.records import NOTHING
from toolgen.schema.json_values import is_object
from toolgen.spec.text import IGNORABLE, cut

# Characters that a person does not see as they are: invisible ones, controls of text direction, control codes.
#
# Tables follow the Unicode Character Database (Default_Ignorable_Code_Point, Bidi_Control) and UTS #39 (confusables).

_INVISIBLE: Final = re.compile(f"[{IGNORABLE}]")
_DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_MARKS: Final = frozenset("\u061c\u200e\u200f")
"""Marks that texts of scripts from right to left need."""

_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""The flag of a region (UTS #51): the one use of tag characters."""

_JOINER, _NON_JOINER = "\u200d", "\u200c"
_FIRST_JOINING: Final = "\u0600"
"""From here on there are scripts whose letters are joined, and need joiners as letters."""

_CONFUSABLE: Final = str.maketrans(
    "аԁеһіїјӏոоօрԛѕстѵԝхукгмАВСЕНІЈКМОРЅТХУαικορντυχγΑΒΕΗΙΚΜΝΟΡΤΧΥΖɑɡı",
    "adehiijlnoopqsctvwxykrmABCEHIJKMOPSTXYaikopvtuxyABEHIKMNOPTXYZagi",
)
"""Letters of other scripts, and the Latin ones that they look like; the most common of UTS #39."""


def invisible(text: str) -> list[str]:
    """Return the invisible characters of a text that neither an emoji nor a script needs."""
    if text.isascii():
        return []
    plain = _FLAG.sub("", text)
    return [found[0] for found in _INVISIBLE.finditer(plain) if not _is_needed(plain, found.start())]


def directional(text: str) -> list[str]:
    """Return the controls of text direction, without marks in a text of a script from right to left."""
    found = _DIRECTION.findall(text)
    if found and any(unicodedata.bidirectional(char) in ("R", "AL") for char in text if char not in _MARKS):
        return [char for char in found if char not in _MARKS]
    return found


def controls(text: str) -> list[str]:
    """Return the control codes of a text, such as those that start an escape sequence of terminals."""
    return _CONTROL.findall(text)


def shown(characters: list[str]) -> str:
    """Return characters as code points, in order and once: `U+200B, U+E0041`; the first of many."""
    points = [f"U+{ord(char):04X}" for char in dict.fromkeys(characters)]
    return ", ".join(points[:3]) + (f" and {len(points) - 3} more" if len(points) > 3 else "")


def hidden_text(text: str) -> str:
    """Return what tag characters spell in ASCII: a text that only models read."""
    return "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)


def as_read(text: str) -> str:
    """Return a text as a model may read it: in plain letters, without invisible characters, in one line."""
    spelled = text + " " + hidden_text(text) if not text.isascii() else text
    if not spelled.isascii():
        spelled = unicodedata.normalize("NFKC", _INVISIBLE.sub("", _DIRECTION.sub("", spelled))).translate(_CONFUSABLE)
    return " ".join(re.sub(r"[*\x00-\x1f]", " ", spelled.replace("\u2019", "'")).split())


def skeleton(name: str) -> str:
    """Return what two names have in common that a reader takes for one another."""
    letters = "".join(_letters(as_read(name)))
    return letters.replace("rn", "m")


def _letters(name: str) -> Iterator[str]:
    for char in name.casefold():
        if char.isalnum():
            yield {"0": "o", "1": "l", "i": "l"}.get(char, char)


def _is_needed(text: str, at: int) -> bool:
    char, before = text[at], text[at - 1 : at]
    if not before:
        return False
    if char in "\ufe0e\ufe0f":
        return unicodedata.category(before) in ("So", "Sm", "Po", "Nd", "Sk", "Pd") or before == _JOINER
    if char == _JOINER and (unicodedata.category(before) in ("So", "Sk") or before == "\ufe0f"):
        return unicodedata.category(text[at + 1 : at + 2] or " ") == "So"
    if char in (_JOINER, _NON_JOINER):
        return before >= _FIRST_JOINING and unicodedata.category(before) in ("Lo", "Mn", "Mc")
    return False


# Phrases: texts that instruct a model instead of describing a tool, hide something, or ask for what is not theirs.
#
# The kinds follow public reports on tool poisoning, shadowing, line jumping and full-schema poisoning of MCP servers
# (2025), and the OWASP list of risks for MCP. The patterns are matched against `characters.as_read`. A server writes
# the texts, and each pattern takes time linear in their length: a run is matched whole (`++`) or bounded.

_TOOLS: Final = r"(?:tools?|functions?|mcps?|servers?|actions?|commands?)"
_USE: Final = r"(?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|run(?:s|ning)?|execut(?:e|es|ing))"
_TELL: Final = (
    r"(?:tell|inform|mention|notify|reveal|disclose|alert|explain|report|warn|expose|show|display|share|confirm|say)"
)
_PERSON: Final = r"(?:users?|humans?|persons?|people|customers?|operators?|anyone|anybody|them)"
_ABOUT_THIS: Final = r"(?:this|that|it|these|any of this|the above|what you did)"

_REPLACES: Final = (
    r"\b(?:ignore|disregard|forget|override|bypass|discard)\s+(?:\w+\s+){0,3}?(?:instructions?|guidelines?|directives?"
    r"|system (?:prompt|message)|safety (?:rules?|checks?|polic(?:y|ies)))\b"
)

REPLACEMENT: Final = re.compile(_REPLACES, re.IGNORECASE)
"""What replaces other instructions: of a prompt, which instructs a model, this alone is suspicious."""

INSTRUCTION: Final = re.compile(
    "|".join((
        # comes before other tools
        (rf"\b(?:before|prior to|instead of|rather than|after|whenever|when|every time|each time)\s+(?:you\s+)?"
        rf"{_USE}\s+(?:any|all|every|each|another)\s+(?:of\s+)?(?:the\s+)?(?:other\s+|available\s+)*{_TOOLS}"),
        rf"\b(?:before|prior to|instead of|over)\s+(?:any|all|every)\s+other\s+(?:\w+\s+)?{_TOOLS}",
        (r"\b(?:always|must)\s+(?:\w+\s+)?(?:call|use|invoke|run|execute)\s+this\s+(?:tool\s+|function\s+)?"
        r"(?:first|before|at the (?:start|beginning))"),
        (r"\bthis\s+(?:tool|function)\s+(?:must|has to|needs to|should always|is to)\s+(?:always\s+)?be\s+"
        r"(?:called|used|invoked|run|executed)\s+(?:first|before (?:any|all|every)|at the (?:start|beginning))"),
        r"\balways\s+(?:choose|prefer|select|pick)\s+this\s+(?:tool|function|server)\b",
        r"\b(?:takes?|has|have)\s+(?:precedence|priority)\s+over\s+(?:all|any|every|other|your|previous|the system)\b",
        # hides something from the user
        (rf"\b(?:do not|don't|never|must not|should not|avoid|without)\s+(?:ever\s+)?{_TELL}(?:ing|ling)?\s+"
        rf"(?:{_ABOUT_THIS}\s+)?(?:to\s+|from\s+)?(?:the\s+|any\s+)?{_PERSON}\b"),
        (rf"\b(?:do not|don't|never|must not|avoid)\s+(?:ever\s+)?mention(?:ing)?\s+"
        rf"(?:{_ABOUT_THIS}|the fact|that you)\b"),
        (rf"\b(?:hid(?:e|den)|conceal(?:ed)?|secret|keep (?:this|it) quiet)\s+(?:this\s+|it\s+)?from\s+"
        rf"(?:the\s+)?{_PERSON}\b"),
        (rf"\bthe\s+{_PERSON}\s+(?:must|should|may|can|will|need|does|do)\s*(?:not|n't|never)\s+"
        r"(?:(?:be\s+)?(?:know|aware|told|informed|notice|notified|learn|find out)|need to know|see this)\b"),
        rf"\bwithout\s+(?:the\s+)?{_PERSON}(?:'s)?\s+(?:knowledge|knowing|noticing|consent|awareness)\b",
        (r"\b(?:silently|secretly|covertly|quietly)\s+(?:\w+\s+)?(?:read|send|call|use|copy|upload|forward|add|include"
        r"|append|run|execute|post|collect|pass|do so)\b"),
        # replaces other instructions
        _REPLACES,
        r"\b(?:you are|act as)\s+(?:now|no longer|from now on)\s",
        r"\bfrom now on,?\s+(?:you|always|every|all|never)\b",
        (r"\b(?:new|updated|real|hidden|additional)\s+(?:system\s+)?instructions?\s*"
        r"(?::|for (?:the )?(?:ai|assistant|model|llm|agent))"),
        (r"\b(?:note|message|instructions?|important|attention)\s*(?:to|for|,)\s*(?:the\s+|all\s+|any\s+)?"
        r"(?:ai|llms?|(?:language |ai )models?|(?:ai )?assistants?|(?:ai |coding )?agents?)\s*[:,]"),
        r"\b(?:dear|attention)\s+(?:ai|llm|assistant|model|agent)\b",
        # acts on the calls of other tools
        (r"\bwhen(?:ever)?\s+(?:\S+\s+){0,6}?(?:tool|function|server|`[\w.-]+`|(?=\w+?_\w)\w++)\s+(?:\S+\s+){0,4}?is\s+"
        r"(?:called|used|invoked|run|available|connected)\b"),
        (r"\b(?:change|replace|rewrite|redirect|modify|set|substitute)\s+(?:the\s+)?"
        r"(?:recipients?|receivers?|destination (?:address|account|number)|payee|beneficiary|phone number|to address)\b"
        r"[^.]{0,30}\b(?:to|with|by)\b"),
        # threatens
        (r"\b(?:otherwise|or else|or)\s*,?\s*(?:the|this|all)\s+(?:tools?|app(?:lication)?|system|server|request)s?\s+"
        r"(?:will|would|does|do|won't)\s*(?:not|n't)?\s*(?:work|crash|fail|break|be (?:blocked|rejected|terminated))"),
        # sends away what is not the tool's
        (r"\b(?:send|forward|upload|e-?mail|transmit|exfiltrate|append|include|pass|attach|provide|copy|put|insert|encode)"
        r"\b[^.]{0,60}\b(?:(?:chat|conversation|message) (?:history|log|transcript)|system prompt|system message"
        r"|(?:entire|full|whole|complete|all (?:of )?the|previous|prior|current) (?:conversation|chat|context)"
        r"|(?:ssh|private) keys?|environment variables|contents? of (?:(?:the|its|this) )?(?:file\b|~|/|\.|config))"),
    )),
    re.IGNORECASE,
)  # fmt: skip
"""Instructions to a model on other tools, the user, its instructions, or data that is not the tool's."""

MARKUP: Final = re.compile(
    r"<!--(?:.{0,200}?-->|.{0,80})"
    r"|</?\s*(?:important|system|secret|hidden|instructions?|critical|assistant|admin|priority|mandatory|urgent"
    r"|rules?|override|internal|developer|note to (?:ai|llm|model))\s*>"
    r"|<\|[a-z_]+\|>|\[/?INST\]|<<SYS>>|^\s*#{2,}\s*(?:system|instructions? (?:for|to))\b"
    r"|(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0|opacity\s*:\s*0(?![.\d]))",
    re.IGNORECASE,
)
"""Markup that is not shown, or that imitates the messages of a conversation."""

ENCODED: Final = re.compile(
    r"(?<![A-Za-z0-9+/=_-])(?:(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/]{48,}={0,2}"
    r"|(?:[0-9a-fA-F]{2}){40,}|(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}){8,})"
)
"""Base64 of 36 bytes and more, hexadecimal of 40 bytes and more, and runs of escaped characters."""

SENSITIVE_PLACE: Final = re.compile(
    r"(?:~|\$HOME|%USERPROFILE%|/root|/home/\w+|/Users/\w+)[/\\]\.(?:ssh|aws|gnupg|kube|docker|config|cursor|claude|vscode"
    r"|codeium|gemini|codex|npmrc|pypirc|netrc|git-credentials|bash_history|zsh_history|env)"
    r"|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|/etc/(?:passwd|shadow|sudoers)\b|(?<![\w*])\.ssh/|\.aws/credentials"
    r"|(?<![\w/.])\.?mcp\.json\b|claude_desktop_config|\blogin\.keychain\b|\bwallet\.dat\b|(?<!\w)\.git-credentials\b",
    re.IGNORECASE,
)
"""Files with the keys and configuration of a person, or of their agents."""

ASKED: Final = re.compile(
    r"^(?:side_?notes?|(?:full_|entire_|whole_|complete_)?(?:conversation|chat)(?:_?(?:history|log|transcript|context))?"
    r"|(?:message|chat|dialog(?:ue)?)_?history|(?:previous|prior|all|past|recent)_(?:messages|prompts|tool_calls|tools)"
    r"|system_?(?:prompt|message|instructions?)|(?:chain_of_thought|reasoning_trace|hidden_context)"
    r"|(?:all_?|available_?)tools(?:_?list)?|tools?_list|env(?:ironment)?_?variables?_?dump"
    r"|(?:ssh|user)_?(?:private_?)?keys?_?(?:content)?|.*(?:id_rsa|ssh_key|dotenv|credentials_file|mcp_config).*)$",
    re.IGNORECASE,
)
"""Names of parameters by which tools collect what is not theirs: the conversation, the prompt, keys."""

ASKED_TEXT: Final = re.compile(
    r"\b(?:(?:full|entire|whole|complete|verbatim) (?:conversation|chat|dialog(?:ue)?|message history|system prompt)"
    r"|(?:chat|conversation) (?:history|transcript) (?:so far|up to|until)"
    r"|(?:your|the) system (?:prompt|message|instructions)"
    r"|contents? of (?:the )?(?:user's )?(?:\.env|~/|private key|ssh|config(?:uration)? file)"
    r"|(?:user's|their) (?:ssh keys?|private keys?|seed phrase))\b",
    re.IGNORECASE,
)
"""Descriptions of parameters that ask for the same."""

PROMPT: Final = re.compile(r"system_?(?:prompt|message|instructions?)", re.IGNORECASE)
"""The name of a parameter with the prompt of a model: the one that a tool runs, or the one that calls it."""

RUNS_MODEL: Final = re.compile(
    r"\b(?:(?:language |ai |generative )?models?|llms?|(?:ai |chat)?bots?|(?:ai |voice |sub)?-?agents?|assistants?"
    r"|(?:chat )?completions?|gpt|claude|gemini|llama|mistral)\b",
    re.IGNORECASE,
)
"""Descriptions of tools that run or make a model."""

OWN_PROMPT: Final = re.compile(
    r"\b(?:your|current|full|entire|whole|complete|original|active|verbatim|word for word|this conversation)\b",
    re.IGNORECASE,
)
"""Descriptions by which it is that of the model that calls the tool."""

ADDRESS: Final = re.compile(
    r"\b(?:https?|wss?|ftp)://(?:[^\s/?#@\"'<>()`]*@)?(?P<host>[^\s/?#:\"'<>()`,]+)"
    r"|(?<![\w.+-])[\w.+-]++@(?P<mail>[\w-]+(?:\.[\w-]+)+)|(?<![\d.])(?P<ip>\d{1,3}(?:\.\d{1,3}){3})(?!\.?\d)",
    re.IGNORECASE,
)
"""Links, mail addresses and IP addresses."""


# The texts of one tool, and what in them is suspicious.

_IDENTIFIERS: Final = frozenset({"$schema", "$id", "id", "$ref", "$dynamicRef", "$recursiveRef", "$vocabulary"})
"""Keywords whose values are URIs that lead nowhere."""

_LONGEST: Final = 10_000
"""Characters of a text that a person can be expected to review. The longest of 2,582 published tools has 895."""

_QUOTED: Final = 80
"""Maximum characters of a quotation."""

_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_. -]{0,8}|[A-Za-z0-9_-]{0,47}")
"""Most texts, such as keywords and names of fields: none of what is looked for in texts fits in."""

_WORD: Final = re.compile(r"[`'\"]?[A-Za-z_][\w.-]*[\w`'\"]|[A-Za-z]")

_BLANK: Final = ("\n" * 12, " " * 120, "\t" * 40)
"""Stretches of blanks that move the rest of a text out of sight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A finding. `pointer` is the place, from the root of the tool or the file; `code` one of `toolgen explain`.

    `tool` is the name of the tool, empty for a text beside tools.
    """

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
        self._own = ""
        self._owners = frozenset(names)
        self._toolsets = defaultdict[str, list[str]](list)
        for toolset, known in names.items():
            for name in known:
                self._toolsets[name].append(toolset)
        self._alike = defaultdict[str, list[str]](list)
        for name in self._toolsets:
            self._alike[skeleton(name)].append(name)

    def __bool__(self) -> bool:
        return any(owner != self._own for owner in self._owners)

    def without(self, toolset: str) -> OtherTools:
        """Return the same tools without those of a toolset. The tables are shared."""
        found = copy(self)
        found._own = toolset  # noqa: SLF001  # of the same class
        return found

    def owner(self, name: str) -> str | None:
        """Return a toolset with a tool of a name."""
        owners = self._toolsets.get(name)
        return next((each for each in owners if each != self._own), None) if owners else None

    def lookalike(self, name: str) -> str | None:
        """Return a tool whose name a reader takes for another one."""
        look = skeleton(name)
        return next((each for each in self._alike.get(look, ()) if look and self.owner(each) is not None), None)


_NO_TOOLS: Final = OtherTools()


def suspicions_of(
    tool: Mapping[str, Any], reviewed: Reviewed | None = None, others: OtherTools = _NO_TOOLS
) -> list[Suspicion]:
    """Return what is suspicious in the texts of a tool: an entry of `tools/list`, or a `name` and keys of a spec.

    Texts that were `reviewed` are not looked at again; hosts that were not are reported. Without it, as at the first
    import, all texts are looked at, and no hosts.
    """
    name = str(tool.get("name", ""))
    search = _Search(name, reviewed, others)
    if name not in search.known:
        for message in _of_name(name, others):
            search.report(
                "TG819", ("name",), message, "check that calls of either tool cannot be mistaken for the other"
            )
        search.text(("name",), name, is_prompt=False)
    for part, value, is_prompt in parts_of_tool(tool):
        for pointer, text in _texts(value, (part,)):
            search.text(pointer, text, is_prompt=is_prompt)
    args = "inputSchema" if "inputSchema" in tool else "args"
    for inner, message in _asked(tool.get(args), search.known, tool.get("description")):
        search.report("TG820", (args, *inner), message, "leave it out, or let the host inject the value")
    return search.found


def suspicions_beside_tools(
    data: Any, reviewed: Reviewed | None = None, others: OtherTools = _NO_TOOLS
) -> list[Suspicion]:
    """Return what is suspicious in the texts of a spec file that are of no tool, as `suspicions_of` does of a tool."""
    search = _Search("", reviewed, others)
    for pointer, text, is_prompt in texts_beside_tools(data):
        search.text(pointer, text, is_prompt=is_prompt)
    return search.found


class _Search:
    """Searches texts one by one. The same is reported once."""

    def __init__(self, tool: str, reviewed: Reviewed | None, others: OtherTools) -> None:
        self.known: frozenset[str] = frozenset() if reviewed is None else reviewed.texts
        self._tool, self._reviewed, self._others = tool, reviewed, others
        self._found: dict[tuple[str, str], Suspicion] = {}

    @property
    def found(self) -> list[Suspicion]:
        return list(self._found.values())

    def report(self, code: str, pointer: tuple[str | int, ...], message: str, fix: str) -> None:
        found = Suspicion(code=code, tool=self._tool, pointer=pointer, message=message, fix=fix)
        self._found.setdefault((code, message), found)

    def text(self, pointer: tuple[str | int, ...], text: str, *, is_prompt: bool) -> None:
        if text in self.known:
            return
        for code, message, fix in _of_prompt(text) if is_prompt else _of_text(text):
            self.report(code, pointer, message, fix)
        for message in () if is_prompt else _mentions(text, self._tool, self._others):
            self.report("TG818", pointer, message, "remove the text, or review how the two work together")
        if self._reviewed is not None and pointer[-1] not in _IDENTIFIERS:
            for host in sorted(_hosts(text) - self._reviewed.hosts):
                self.report("TG817", pointer, f"the text leads to `{host}`, and did not before", "check whose it is")


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
    yield from _hidden(text)
    read = as_read(text)
    yield from _instructions(INSTRUCTION, read)
    if found := MARKUP.search(text) or MARKUP.search(read):
        yield "TG814", f"the text has hidden or imitated markup: `{cut(found[0], _QUOTED)}`", "remove it"
    if len(text) > _LONGEST:
        yield "TG816", f"the text has {len(text):,} characters, more than a person reviews", "shorten it"
    if found := SENSITIVE_PLACE.search(read):
        yield "TG821", f"the text names `{cut(found[0], _QUOTED)}`, where keys or configuration are", "remove it"


def _of_prompt(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what is suspicious in a text that instructs a model, has markup, and may be long."""
    yield from _hidden(text)
    yield from _instructions(REPLACEMENT, as_read(text))


def _instructions(pattern: re.Pattern[str], read: str) -> Iterator[tuple[str, str, str]]:
    if found := pattern.search(read):
        message = f"the text instructs the model: `{cut(found[0], _QUOTED)}`"
        yield "TG813", message, "describe what the tool does, and no more"


def _hidden(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield what a person does not see, or cannot read."""
    if hidden := invisible(text):
        spelled = hidden_text(text)
        what = f", which spell `{cut(spelled, _QUOTED)}`" if spelled else ""
        yield "TG810", f"the text has invisible characters, {shown(hidden)}{what}", "remove them"
    if turned := directional(text):
        yield "TG811", f"the text has controls of text direction, {shown(turned)}", "remove them"
    if codes := controls(text):
        yield "TG812", f"the text has control codes, {shown(codes)}", "remove them"
    if found := ENCODED.search(text):
        yield "TG815", f"the text has encoded data: `{cut(found[0], _QUOTED)}`", "decode it and read it, or remove it"
    if any(blank in text for blank in _BLANK):
        yield "TG816", "the text has a blank stretch that moves the rest of it out of sight", "remove it"


def _of_name(name: str, others: OtherTools) -> Iterator[str]:
    if owner := others.owner(name):
        yield f"{owner} has a tool of the same name"
    elif other := others.lookalike(name):
        yield f"the name looks like `{other}` of {others.owner(other)}"
    elif not name.isascii() and as_read(name).isascii():
        yield f"the name is spelled with letters that look like those of `{as_read(name)}`"


def _mentions(text: str, name: str, others: OtherTools) -> Iterator[str]:
    """Yield the names of other servers' tools that a text has; a plain word only where it is said to be a tool."""
    if not others or text == name:
        return
    words = _WORD.findall(as_read(text))
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        found = word.strip("`'\"")
        owner = others.owner(found)
        if owner and (_is_distinct(found) or word != found or "tool" in (before.lower(), after.lower())):
            yield f"the text names `{found}`, a tool of {owner}"


def _is_distinct(name: str) -> bool:
    """Return whether a name is none that a sentence has as a word."""
    return not name.isalpha() or any(low.islower() and high.isupper() for low, high in pairwise(name))


def _hosts(text: str) -> set[str]:
    return {host.lower().rstrip(".") for found in ADDRESS.finditer(text) for host in found.groups() if host}


def _is_prompt_to_write(name: str, text: Any, about: Any) -> bool:
    """Whether a parameter is the prompt of a model that the tool runs, and not that of the model that calls it."""
    return (
        PROMPT.fullmatch(name) is not None
        and isinstance(about, str)
        and RUNS_MODEL.search(about) is not None
        and not (isinstance(text, str) and OWN_PROMPT.search(text))
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
        if ASKED.search(name) and name not in known:
            yield ("properties", name), f"the parameter `{cut(name, _QUOTED)}` asks for what is not the tool's"
        elif isinstance(text, str) and text not in known and (found := ASKED_TEXT.search(text)):
            yield (
                ("properties", name, "description"),
                f"the parameter `{cut(name, _QUOTED)}` asks for `{cut(found[0], _QUOTED)}`",
            )
