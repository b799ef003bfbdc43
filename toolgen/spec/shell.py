"""Shell lines: where a template may stand, so that no shell takes its value for more than one word.

A value is in a variable, and the line has `"${variable}"` in place of its template. That is one word, but where
`/bin/sh` is bash, some places evaluate the value of a word once more: arithmetic and subscripts, what looks up a
variable by its name, and commands that run text. So no template stands there, and no variable that is set to one
stands in arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Final, NamedTuple


class Misplaced(NamedTuple):
    """A template that may not stand where it does: its number in the line, from 0, where it stands, and a fix."""

    number: int
    place: str
    fix: str


_UNQUOTE: Final = "remove that: every value is quoted"
_COMPUTE: Final = "a shell may run a value there; compute with a program, such as `expr` or `awk`"
_COMPARE: Final = "a shell may run a value there; write `[ … ]`"
_ASSIGN: Final = "a shell may run a value there; set a variable to it before: `name={{args.name}}`"
_NAME: Final = "a shell may run a value there; write the name, and the value behind `=`"
_PROGRAM: Final = "a shell may run a value there; pass it to a program"

_IN_QUOTES: Final = "inside quotes"
_ESCAPED: Final = '\\"'
_QUOTED: Final = {
    "'": _IN_QUOTES,
    '"': _IN_QUOTES,
    _ESCAPED: _IN_QUOTES,
    "\\": "after a backslash",
    "$": "after a `$`",
}

_ARITHMETIC: Final = "))"
_OLD_ARITHMETIC: Final = "]"
_EXPANSION: Final = "}"
_CONDITION: Final = "]]"
_EVALUATED: Final = {
    _ARITHMETIC: ("in arithmetic", _COMPUTE),
    _OLD_ARITHMETIC: ("in arithmetic", _COMPUTE),
    _EXPANSION: ("in `${…}`", _ASSIGN),
    _CONDITION: ("in `[[…]]`", _COMPARE),
}
_OPENING: Final = {"(": ")", "{": _EXPANSION, "[": _OLD_ARITHMETIC}

_RUN: Final = frozenset({
    *("eval", "let", "trap", "alias", "read", "unset", "getopts", "mapfile", "readarray"),
    *("compgen", "complete", "bind", "enable"),
})  # fmt: skip
"""Commands of a shell that run or compute their args, or that take names of variables."""
_DECLARE: Final = frozenset({"declare", "typeset", "local", "export", "readonly"})
_LOOK_UP: Final = {"test": ("-v", "-R"), "[": ("-v", "-R"), "printf": ("-v",), "wait": ("-p",)}
"""Options behind which a command takes the name of a variable."""
_BEFORE_COMMANDS: Final = frozenset({
    *("if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "command", "builtin", "coproc"),
})  # fmt: skip

_BETWEEN_WORDS: Final = " \t\n;&|()"
_VALUE: Final = "\0"
"""Stands for a value in a word."""
_OUTPUT: Final = "\1"
"""Stands for what a command prints, or for a parenthesis, in a word."""

_LOOK_BACK: Final = 100
"""Constructs within backticks, at most."""

_LONGEST_WORD: Final = 1000
"""Characters of a word that are read, beside values."""

_MOST_STARTS: Final = 20
"""Commands that may start among the words of one, at most."""

_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=", re.ASCII)
_SUBSCRIPT: Final = re.compile(r"(?:[A-Za-z_]\w*)?\[[^\]]*", re.ASCII)
_TYPED: Final = re.compile(r"[-+]\w*[aAin]", re.ASCII)
"""An option by which a shell evaluates what it assigns."""
_NAMES: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_COMPUTES: Final = {
    _ARITHMETIC: re.compile(""),
    _OLD_ARITHMETIC: re.compile(""),
    _EXPANSION: re.compile(r":(?![-=?+])|\["),
    _CONDITION: re.compile(r"-(?:eq|ne|lt|le|gt|ge|v|R)\b"),
}
"""What makes a construct evaluate the values of the variables in it."""


def misplaced(texts: Sequence[str]) -> Misplaced | None:
    """Return the first template of a line that may not stand where it does. `texts` are those around the templates."""
    return _Line(_VALUE.join(text.replace(_VALUE, " ") for text in texts)).read()


@dataclass(slots=True)
class _Part:
    """A list of commands, or a construct without any, up to its `end`. `quote` is that around it."""

    end: str = ""
    start: int = 0
    quote: str = ""
    is_quoted: bool = False
    is_array: bool = False
    words: list[str] = field(default_factory=list[str])
    starts: list[int] = field(default_factory=lambda: [0])
    """Where among the words a command starts, or may."""
    word: str | None = None
    is_target: bool = False
    """Whether the next word is that of a redirection."""

    def start_at(self, index: int) -> None:
        """Note that a command may start at a word. The first one, and the last ones are known."""
        if index not in self.starts:
            self.starts = [*self.starts[:1], *self.starts[1:][1 - _MOST_STARTS :], index]


class _Line:
    """Reads a line as far as it tells where its words stand. It takes linear time."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._state, self._before = "", "\n"
        self._parts = [_Part()]
        self._evaluated: list[_Part] = []
        self._values = 0
        self._set: dict[str, int] = {}
        """The variables that are set to a template, and to which."""
        self._found: Misplaced | None = None

    def read(self) -> Misplaced | None:
        """Return the first template that is misplaced, itself or by a variable."""
        while self._at < len(self._text) and self._found is None:
            character, following = self._text[self._at], self._text[self._at + 1 : self._at + 2]
            if character == _VALUE:
                self._value()
                self._at += 1
                continue
            self._at += self._step(character, following)
            self._before = self._text[self._at - 1]
        for part in self._evaluated[:1]:
            self._check_variables(part)
        return self._found

    @property
    def _part(self) -> _Part:
        return self._parts[-1]

    def _value(self) -> None:
        if self._state != "#":
            place = self._place()
            if place is not None:
                self._found = Misplaced(self._values, *place)
            self._add(_VALUE)
        self._values += 1
        self._before = "}"  # of the template

    def _place(self) -> tuple[str, str] | None:
        """Return where a template would stand here, and how to fix that; None where it may."""
        part = self._part
        if self._state in _QUOTED or part.is_quoted:
            return _QUOTED.get(self._state, _IN_QUOTES), _UNQUOTE
        if self._evaluated:
            return _EVALUATED[self._evaluated[-1].end]
        if part.is_target:
            return None
        places = (self._place_in(part, start) for start in part.starts)
        return next(filter(None, places), None)

    def _place_in(self, part: _Part, start: int) -> tuple[str, str] | None:
        """Return the same where a command starts at a word, behind what it assigns."""
        word, words = part.word or "", part.words
        count = len(words) - start
        if _SUBSCRIPT.fullmatch(word) and (part.is_array or count == 0):
            return "in a subscript", _COMPUTE
        if count <= 0:
            return None
        name, last = words[start].rpartition(_OUTPUT)[2], words[-1]
        if name in _RUN:
            return f"an arg of `{name}`", _PROGRAM
        if name in _DECLARE:
            options = takewhile(lambda each: each[:1] in ("-", "+"), islice(words, start + 1, None))
            is_name = not _ASSIGNMENT.match(word) or any(map(_TYPED.match, options))
            return (f"the name of a variable of `{name}`", _NAME) if is_name else None
        if name not in _LOOK_UP:
            return None
        looks_up = _LOOK_UP[name]
        may_look_up = last.startswith((_VALUE, f"-{_VALUE}")) and (count == 2 or name != "printf")
        if word.startswith(looks_up) or (not word and count > 1 and (last in looks_up or may_look_up)):
            return f"the name of a variable of `{name}`, or may be", _PROGRAM
        return None

    def _step(self, character: str, following: str) -> int:
        """Read a character, and what belongs to it; return how many that are."""
        state = self._state
        match state:
            case "\\":
                self._state = ""
                self._add(character.strip("\n"))
            case "'":
                self._state = "" if character == "'" else state
                self._add(character.strip("'"))
            case "#":
                if character == "\n":
                    self._state = ""
                    self._end_command()
            case _ if state == _ESCAPED:
                self._state = '"'
                self._add(character)
            case '"' if character == "\\":
                self._state = _ESCAPED
            case '"' if character == '"':
                self._state = ""
            case '"' if character not in "$`":
                self._add(character)
            case _:
                return self._unquoted(character, following)
        return 1

    def _unquoted(self, character: str, following: str) -> int:
        """Read a character that has a meaning; of those in double quotes, these are `$` and a backtick."""
        part = self._part
        if character == "$" and following in _OPENING and following:
            is_arithmetic = self._text.startswith("$((", self._at)
            self._open(_ARITHMETIC if is_arithmetic else _OPENING[following])
            return 3 if is_arithmetic else 2
        if self._state == '"' and character != "`":
            self._add(character)
            return 1
        if character == "`":
            self._backtick()
            return 1
        self._state = ""
        is_literal = character == "'" and part.end == _EXPANSION and part.quote == '"'
        if character in "'\"\\$" and not is_literal:
            self._state = character
            self._add("$" if character == "$" else "")
        elif character == "#" and self._before in _BETWEEN_WORDS and not self._evaluated:
            self._state = "#"
        elif character == "(":
            is_array = self._before == "=" and following != "("
            self._open(_ARITHMETIC if following == "(" else ")", is_array=is_array)
            return 2 if following == "(" else 1
        elif character == ")":
            return self._closed(following)
        elif part.end in (_EXPANSION, _OLD_ARITHMETIC, _ARITHMETIC):
            if character == part.end:
                self._close()
        else:
            self._in_command(character)
        return 1

    def _in_command(self, character: str) -> None:
        part = self._part
        if character in " \t":
            self._end_word()
        elif character == "&" and self._text.startswith("&>", self._at):
            self._end_word()
            part.start_at(len(part.words))  # to bash it is a redirection, to others the end of a command
        elif character in "\n;" or (character in "&|" and self._before not in "<>"):
            self._end_command()
        elif character in "<>":
            if not (part.word or "").isdigit():
                self._end_word()
            part.word, part.is_target = None, True
        elif character not in "&|":
            self._add(character)

    def _add(self, text: str) -> None:
        word = self._part.word or ""
        self._part.word = word + text if len(word) < _LONGEST_WORD or text == _VALUE else word

    def _end_word(self) -> None:
        part, word = self._part, self._part.word
        if word is None:
            return
        part.word = None
        assigned = _ASSIGNMENT.match(word)
        if assigned and _VALUE in word:
            self._set.setdefault(assigned[1], self._values - 1)
        if part.is_target:
            part.is_target = False
        elif part.end == _CONDITION:
            if word == "]]":
                self._close()
        else:
            count = len(part.words)
            part.words.append(word)
            if assigned or word.startswith("-"):  # it is before a command, or an option of `command`
                part.starts = [count + 1 if start == count else start for start in part.starts]
            if word in _BEFORE_COMMANDS:
                part.start_at(count + 1)
            if word == "[[" and count in part.starts:
                self._open(_CONDITION)

    def _end_command(self) -> None:
        self._end_word()
        if self._part.end != _CONDITION and not self._part.is_array:
            self._part.words, self._part.starts, self._part.is_target = [], [0], False

    def _open(self, end: str, *, is_array: bool = False) -> None:
        outer = self._part
        part = _Part(end, self._at, self._state, outer.is_quoted or self._state == '"', is_array)
        self._state = ""
        self._parts.append(part)
        if end in _EVALUATED:
            self._evaluated.append(part)

    def _closed(self, following: str) -> int:
        """Read a closing parenthesis; one that closes nothing is that of a `case`, and a command follows."""
        end = self._part.end
        if end == _ARITHMETIC and following == ")":
            self._close()
            return 2
        if end == ")":
            self._end_word()
            self._close()
            for count in (0, 1):  # it may end a pattern of a `case`, with a command behind it
                self._part.start_at(len(self._part.words) + count)
        elif end not in _EVALUATED:
            self._end_command()
        return 1

    def _backtick(self) -> None:
        if any(part.end == "`" for part in self._parts[-_LOOK_BACK:]):
            while self._part.end != "`":
                self._close()
            self._end_word()
            self._close()
        else:
            self._open("`")

    def _close(self) -> None:
        part = self._parts.pop()
        if part.end in _EVALUATED:
            self._evaluated.pop()
            if not self._evaluated:
                self._check_variables(part)
        self._state = part.quote
        if part.end != _CONDITION:
            self._add(_OUTPUT)

    def _check_variables(self, part: _Part) -> None:
        """Note a template whose variable is evaluated in a construct that ends here."""
        text = self._text[part.start : self._at]
        if self._set and _COMPUTES[part.end].search(text):
            name = next((each for each in _NAMES.findall(text) if each in self._set), None)
            if name is not None and self._found is None:
                place, fix = _EVALUATED[part.end]
                self._found = Misplaced(self._set[name], f"the value of `{name}`, which is {place}", fix)
