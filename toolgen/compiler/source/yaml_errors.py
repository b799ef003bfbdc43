"""Readable messages for libyaml's errors: a span, a message and a fix."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from toolgen.compiler.diagnostics import Related
from toolgen.spec.visible import escaped, visible

if TYPE_CHECKING:
    from yaml.error import MarkedYAMLError

    from toolgen.compiler.diagnostics import Diagnostics
    from toolgen.compiler.source.nodes import Source

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_SPACE_AFTER_COLON: Final = re.compile(r"\s*(?:- )?[\w.-]+[?!]?(:)[^\s:/]")
_HEX_ESCAPE: Final = re.compile(r"\\([xuU])([0-9a-fA-F]{0,8})")
_LOW_SURROGATE: Final = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_MAX_KEY: Final = 1024
"""Maximum characters that libyaml looks ahead for the colon of a key."""

_QUOTE: Final = "quote the value"
_SPACES: Final = "indent with spaces"
_SINGLE_QUOTES: Final = "in single quotes a `\\` is literal"


class _Problem(NamedTuple):
    """Where libyaml failed (`at`), and where the construct began (`since`): offsets into `text`."""

    text: str
    at: int
    since: int

    @property
    def line_before(self) -> str:
        """The part of the line before the problem."""
        return self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]

    @property
    def found(self) -> str:
        """What was found instead of what was expected."""
        if not self.text[self.at :].strip():
            return "the end of the file"
        char = self.text[self.at]
        return "the end of the line" if char in "\r\n" else f"`{visible(char)}`"

    @property
    def opening(self) -> str:
        """The first character of the construct being parsed."""
        return self.text[self.since : self.since + 1]


class _Explanation(NamedTuple):
    """What to report, from `start` to `end`. `opened` is where the broken construct begins, if known."""

    start: int
    end: int
    message: str
    fix: str
    opened: int | None = None
    code: str = "TG003"


def report_syntax_error(error: MarkedYAMLError, source: Source, sink: Diagnostics) -> None:
    """Report where and why libyaml failed."""
    at = 0 if error.problem_mark is None else min(error.problem_mark.index, len(source.text))
    since = at if error.context_mark is None else min(error.context_mark.index, at)
    found = _explanation(error.context or "", error.problem or "", _Problem(source.text, at, since))
    related = () if found.opened is None else (Related(source.span(found.opened, found.opened + 1), "it starts here"),)
    sink.report(
        found.code,
        source.span(found.start, found.end),
        found.message,
        related=related,
        fix=found.fix,
    )


def report_forbidden_character(source: Source, sink: Diagnostics) -> None:
    """Report the first character that YAML does not allow; libyaml only gives its byte."""
    match = _FORBIDDEN.search(source.text)
    assert match is not None, "libyaml rejects exactly these characters"
    message = f"the character U+{ord(match[0]):04X} must be escaped in YAML"
    fix = f"remove it, or write `{escaped(match[0])}` in double quotes"
    sink.report("TG003", source.span(match.start(), match.end()), message, fix=fix)


def _explanation(context: str, words: str, problem: _Problem) -> _Explanation:
    explain = _BY_PROBLEM.get(words)
    if explain is None:
        explain = next((_BY_CONTEXT[end] for end in _BY_CONTEXT if context.endswith(end)), None)
    if explain is None:
        return _Explanation(problem.at, problem.at + 1, f"{words} {context}".strip(), "")
    return explain(problem)


def _here(message: str, fix: str) -> Callable[[_Problem], _Explanation]:
    """An explanation with a fixed message, at the place of the problem."""
    return lambda problem: _Explanation(problem.at, problem.at + 1, message, fix)


def _since(message: str, fix: str) -> Callable[[_Problem], _Explanation]:
    """The same, from the start of the construct that libyaml did not understand; `{0}` is its first character."""

    def explain(problem: _Problem) -> _Explanation:
        return _Explanation(
            problem.since,
            max(problem.at, problem.since + 1),
            message.format(problem.opening),
            fix.format(problem.opening),
        )

    return explain


def _cannot_start(problem: _Problem) -> _Explanation:
    char = problem.text[problem.at]
    if char == "\t":
        return _Explanation(problem.at, problem.at + 1, "a tab cannot indent YAML", _SPACES)
    return _Explanation(problem.at, problem.at + 1, f"a value cannot start with `{visible(char)}`", _QUOTE)


def _second_colon(problem: _Problem) -> _Explanation:
    """Explain `a: b: c`, a missing space after the colon above, or a key below a plain text value."""
    at, before = problem.at, problem.line_before
    if re.search(r":\s", before):
        return _Explanation(at, at + 1, "plain text cannot contain `: `", _QUOTE)
    if len(before) > _MAX_KEY:
        message = f"a key is at most {_MAX_KEY} characters long"
        return _Explanation(at, at + 1, message, "write `? key`, and `: value` on the next line")
    above = problem.text[: at - len(before)].rstrip()
    line_start = above.rfind("\n") + 1
    if colon := _NO_SPACE_AFTER_COLON.match(above, line_start):
        return _missing_space(colon)
    fix = "align it with the keys above, or quote the value above"
    return _Explanation(
        at - len(before.lstrip()), at, "a key is not allowed here: the key above already has a value", fix
    )


def _no_colon(problem: _Problem) -> _Explanation:
    if colon := _NO_SPACE_AFTER_COLON.match(problem.text, problem.since):
        return _missing_space(colon)
    line = problem.text[problem.since :].partition("\n")[0].rstrip()
    fix = "write `key: value`; indent multi-line text under `|`"
    return _Explanation(
        problem.since, problem.since + max(len(line), 1), "this is not a key, because `: ` is missing", fix
    )


def _missing_space(colon: re.Match[str]) -> _Explanation:
    return _Explanation(*colon.span(1), "there is no space after this colon", "write `key: value`")


def _in_brackets(closing: str) -> Callable[[_Problem], _Explanation]:
    def explain(problem: _Problem) -> _Explanation:
        at, since = problem.at, problem.since
        if not problem.text[at:].strip():
            return _Explanation(
                since, since + 1, f"this `{problem.opening}` is never closed", f"close it with `{closing}`"
            )
        message = f"expected `,` or `{closing}`, found {problem.found}"
        same_line = "\n" not in problem.text[since:at]
        fix = (
            "text with brackets, commas or `: ` must be quoted"
            if same_line
            else f"close the list or mapping with `{closing}`"
        )
        return _Explanation(at, at + 1, message, fix, since)

    return explain


def _in_block(expected: str) -> Callable[[_Problem], _Explanation]:
    def explain(problem: _Problem) -> _Explanation:
        fix = "indent all its parts equally, and do not mix keys with list items"
        message = f"expected {expected}, found {problem.found}"
        return _after_closing(problem) or _Explanation(problem.at, problem.at + 1, message, fix, problem.since)

    return explain


def _after_closing(problem: _Problem) -> _Explanation | None:
    """Explain text after a closing quote or bracket: `'it's'`, `{{args.x}} and more`."""
    last = problem.line_before.rstrip()[-1:]
    if last not in _AFTER_CLOSING:
        return None
    return _Explanation(problem.at, problem.at + 1, f"unexpected text after the closing `{last}`", _AFTER_CLOSING[last])


_AFTER_CLOSING: Final[Mapping[str, str]] = {
    "'": "quote the whole value once; inside single quotes write `'` as `''`",
    '"': 'quote the whole value once; inside double quotes write `"` as `\\"`',
    "}": "quote the whole value",
    "]": "quote the whole value",
}


def _no_value(problem: _Problem) -> _Explanation:
    message = f"expected a value, found {problem.found}"
    return _Explanation(problem.at, problem.at + 1, message, "quote it if it is text")


def _no_end(problem: _Problem) -> _Explanation:
    message = f"expected the end of the file, found {problem.found}"
    plain = _Explanation(
        problem.at, problem.at + 1, message, "a file is one mapping: `key: value` lines from the first column"
    )
    return _after_closing(problem) or plain


def _marker_in_quotes(problem: _Problem) -> _Explanation:
    marker = problem.text[problem.at : problem.at + 3]
    message = f"a line that starts with `{marker}` ends the document, in the middle of quoted text"
    return _Explanation(
        problem.at, problem.at + 3, message, "indent the line, or close the quotes before it", problem.since
    )


def _unclosed_quote(problem: _Problem) -> _Explanation:
    quote = problem.opening
    return _Explanation(problem.since, problem.since + 1, f"this `{quote}` is never closed", f"close it with `{quote}`")


def _unknown_escape(problem: _Problem) -> _Explanation:
    char = visible(problem.text[problem.at + 1 : problem.at + 2])
    fix = f"write `\\\\{char}`, or use single quotes: {_SINGLE_QUOTES}"
    return _Explanation(problem.at, problem.at + 2, f"`\\{char}` is not an escape", fix)


def _hex_escape(problem: _Problem) -> _Explanation:
    """Explain an escape with too few digits, half a surrogate pair, or a number beyond Unicode."""
    start = problem.text.rfind("\\", 0, problem.at)
    match = _HEX_ESCAPE.match(problem.text, start)
    assert match is not None, "libyaml was reading a hexadecimal escape"
    kind = match[1]
    length = {"x": 2, "u": 4, "U": 8}[kind]
    digits = match[2][:length]
    end = start + 2 + len(digits)
    if len(digits) < length:
        message = f"`\\{kind}` takes {length} hexadecimal digits"
        return _Explanation(start, end, message, f"write them all, or use single quotes: {_SINGLE_QUOTES}")
    number = int(digits, 16)
    if not 0xD800 <= number <= 0xDFFF:
        return _Explanation(start, end, f"there is no character U+{number:X}", "the last one is U+10FFFF")
    fix = "remove it"
    low = _LOW_SURROGATE.match(problem.text, end)
    if number < 0xDC00 and low:
        character = 0x10000 + ((number - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        end, fix = low.end(), f"write `\\U{character:08x}`, or the character itself"
    return _Explanation(
        start, end, "YAML has no surrogate pairs, and half of one is not a character", fix, code="TG008"
    )


def _version(problem: _Problem) -> _Explanation:
    line = problem.text[problem.at :].partition("\n")[0].rstrip()
    return _Explanation(problem.at, problem.at + len(line), "this is not YAML 1.2", "remove the `%YAML` line")


_BY_PROBLEM: Final[Mapping[str, Callable[[_Problem], _Explanation]]] = {
    "found character that cannot start any token": _cannot_start,
    "found a tab character that violates indentation": _here("a tab cannot indent YAML", _SPACES),
    "found a tab character where an indentation space is expected": _here("a tab cannot indent YAML", _SPACES),
    "mapping values are not allowed in this context": _second_colon,
    "mapping keys are not allowed in this context": _here("a value cannot start with `? `", _QUOTE),
    "block sequence entries are not allowed in this context": _here(
        "a list item cannot start in the middle of a line", "put `- …` on the next line, or quote it if it is text"
    ),
    "could not find expected ':'": _no_colon,
    "did not find expected ',' or ']'": _in_brackets("]"),
    "did not find expected ',' or '}'": _in_brackets("}"),
    "did not find expected key": _in_block("a key"),
    "did not find expected '-' indicator": _in_block("the `-` of a list item"),
    "did not find expected node content": _no_value,
    "did not find expected <document start>": _no_end,
    "found unexpected end of stream": _unclosed_quote,
    "found unexpected document indicator": _marker_in_quotes,
    "found unknown escape character": _unknown_escape,
    "did not find expected hexdecimal number": _hex_escape,
    "found invalid Unicode character escape code": _hex_escape,
    "found incompatible YAML document": _version,
}

_BY_CONTEXT: Final[Mapping[str, Callable[[_Problem], _Explanation]]] = {
    "an alias": _since("`{0}` starts an alias, but this is not an alias name", _QUOTE),
    "an anchor": _since("`{0}` starts an anchor, but this is not an anchor name", _QUOTE),
    "a tag": _since("`{0}` starts a tag, but this is not a tag", _QUOTE),
    "a node": _since("`{0}` starts a tag, but this tag is unknown", _QUOTE),
    "directive": _since("a line that starts with `%` is a directive, but this one is unknown", "remove it"),
    "a block scalar": _here("only indented lines of text can follow `|` or `>`", "start the text on the next line"),
}
"""Used where the context tells more than the problem; `a node` fails by itself only for a tag's prefix."""
