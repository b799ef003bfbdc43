"""Text on several lines: blocks moved to another indentation, and long text folded."""

from __future__ import annotations

from toolgen.authoring.text.comments import BLOCK_HEADER
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.read import parse
from toolgen.spec.lines import BLANKS, LINE_BREAK, lines_of
from toolgen.spec.visible import visible


def reindented(written: str, value: str, style: str, margin: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a block of text, moved to the column `margin`.

    `written` is the block as it is, from its header to the end of its last line; `value` is its value, which decides
    how its end is written.
    """
    lines = _content(written, value)
    ends = len(value) - len(value.rstrip("\n"))
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    lines += [""] * (ends - 1)
    leads = next((line for line in lines if line), "")
    size = str(2) if leads.startswith((" ", "\t")) or (lines and not lines[0]) else ""
    return f"{style}{size}{chomping}", [" " * margin + line if line else "" for line in lines]


def length(written: str, value: str) -> int:
    """Return the length of a block of text up to the end of the last line that has a character of its value."""
    if value.rstrip("\n").rpartition("\n")[2].strip(BLANKS):
        return len(written.rstrip(BLANKS))
    ends = [match.start() for match in LINE_BREAK.finditer(written)] + [len(written)]
    return ends[len(_content(written, value))]


def _content(written: str, value: str) -> list[str]:
    """Return the lines of a block without its indentation; blanks beyond that are part of the text."""
    start = BLOCK_HEADER.search(written)
    assert start is not None, "a block of text starts with its header"
    raw = lines_of(written[start.end() :])[1:]
    width = _first_indent(raw) - _first_indent(value.split("\n"))
    lines = [line[width:] for line in raw]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _first_indent(lines: list[str]) -> int:
    """Return the indentation of the first line that is not blank."""
    first = next((line for line in lines if line.strip(" ")), "")
    return len(first) - len(first.lstrip(" "))


def reads_as(header: str, lines: list[str], margin: int, text: str) -> bool:
    """Whether a parser reads a block of text as this text."""
    document = "\n".join([f"{' ' * (margin - 2)}- {header}", *lines]) + "\n"
    root = parse(document, "block.yaml", Diagnostics())
    return root is not None and root.to_data() == [text]


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
