"""Text on several lines: blocks moved to another indentation, and long text folded."""

from __future__ import annotations

import re
from typing import Final

import yaml
from yaml.events import ScalarEvent

from toolgen.spec.visible import visible

_HEADER: Final = re.compile(r"[|>][-+0-9]*")
_BREAK: Final = re.compile(r"\r\n|\r|\n")


def reindented(text: str, value: str, style: str, margin: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a block of text that `text` starts with, moved to the column `margin`.

    `value` is its value, which decides how its end is written.
    """
    start = _HEADER.search(text)
    assert start is not None, "a block of text starts with its header"
    raw = _BREAK.split(text[start.end() :])[1:]
    given = re.search(r"[1-9]", start[0])
    content = _content(raw, given is not None)
    first = next((line for line in content if line.strip(" ")), "")
    width = len(first) - len(first.lstrip(" ")) if given is None else _given_width(content, value)
    lines = [line[width:] for line in content]
    while lines and not lines[-1].strip(" "):
        lines.pop()
    body = value.rstrip("\n")
    ends = len(value) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    lines += [""] * (ends - 1)
    leads = next((line for line in lines if line), "")
    size = str(2) if leads.startswith((" ", "\t")) or (lines and not lines[0]) else ""
    return f"{style}{size}{chomping}", [" " * margin + line if line else "" for line in lines]


def _content(raw: list[str], is_given: bool) -> list[str]:
    """Return the lines of the block: up to the first that is indented less than its first one."""
    least: int | None = None
    found: list[str] = []
    for line in raw:
        stripped = line.lstrip(" ")
        if stripped:
            depth = len(line) - len(stripped)
            if least is None:
                least = 1 if is_given else depth
            if depth < least:
                break
        found.append(line)
    return found


def _given_width(content: list[str], value: str) -> int:
    """Return the indentation of a block that states it, from its first line with text and the value of that."""
    first = next((line for line in content if line.strip(" ")), "")
    meant = next((line for line in value.split("\n") if line.strip(" ")), "")
    return (len(first) - len(first.lstrip(" "))) - (len(meant) - len(meant.lstrip(" ")))


def reads_as(header: str, lines: list[str], margin: int, text: str) -> bool:
    """Whether a parser reads a block of text as this text."""
    document = "\n".join([f"{' ' * (margin - 2)}- {header}", *lines]) + "\n"
    try:
        values = [each.value for each in yaml.parse(document, Loader=yaml.CBaseLoader) if isinstance(each, ScalarEvent)]
    except yaml.YAMLError:
        return False
    return values == [text]


def folded(text: str, margin: int, width: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a text without line ends, folded at blanks; no lines where that changes it."""
    words = text.split(" ")
    if "\n" in text or "" in words or visible(text) != text or len(words) < 2 or text[:1] == "\t" or "\t" in text:
        return ">-", []
    lines: list[str] = [words[0]]
    for word in words[1:]:
        if margin + len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return ">-", [" " * margin + line for line in lines]
