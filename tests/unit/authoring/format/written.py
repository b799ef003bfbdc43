"""Written values: random YAML texts of random data, in every style, with comments in every position."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", " ", "a", "yes", "1", "1e3", "null", "~", "- a", "a: b", "a #b", "#", "'", '"', "\t", "x\ty", "é", "🙂"]
    ),
    st.sampled_from(
        ["a\nb", "a\n", "\na", " a\nb\n", "a\n\nb\n\n", "word " * 40 + "end", "\u2028x", "\x85", "%a", "@", "{{x}}"]
    ),
    st.text(alphabet="ab #:-{}[],\n\"'\\|>&*!%@`\t", max_size=12),
)
KEYS = st.one_of(
    st.text(alphabet="abcxyz?_-. ", min_size=1, max_size=6), st.sampled_from(["on", "1", "~", "a: b", "é"])
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
TAGS: dict[type, tuple[str, ...]] = {
    dict: ("!!map", "!<tag:yaml.org,2002:map>"),
    list: ("!!seq", "!"),
    str: ("!!str", "!"),
}


class Writer:
    """Writes data as YAML, with styles and comments drawn from `draw`."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        self._comments = 0
        self._anchors = 0
        self._is_in_text = False  # after a block of text, deeper lines and blank ones would be part of it

    def document(self, data: dict[str, Any]) -> str:
        """Return the text of a mapping."""
        lines = [*self._above(""), *self._block(data, 0), *self._above("")]
        return "\n".join(lines) + ("\n" if self._is_in_text else self._draw(st.sampled_from(["\n", "\n\n"])))

    def _comment(self) -> str:
        self._comments += 1
        return f"# {self._comments}{self._draw(st.sampled_from(['', ' a: b', ' # {', ' -', '  x ']))}"

    def _above(self, margin: str) -> list[str]:
        choice = self._draw(st.integers(0, 9))
        if self._is_in_text:
            return [margin + self._comment()] if choice < 2 else []
        blank = [""] * self._draw(st.integers(0, 2)) if choice < 3 else []
        return [*blank, *([margin + self._comment()] if choice < 2 else []), *blank]

    def _beside(self, before: str = "") -> str:
        """Return a comment after content: only brackets, quotes and headers may end right before its `#`."""
        if self._draw(st.integers(0, 5)):
            return ""
        blank = "" if before.endswith(("]", "}", '"', "'", "|", "-", "+")) and self._draw(st.booleans()) else " "
        return blank + self._comment()

    def _properties(self, value: Any) -> str:
        """Return the anchor and the tag of a value, with a blank before each; mostly nothing."""
        if self._draw(st.integers(0, 9)):
            return ""
        self._anchors += 1
        anchor = f" &a{self._anchors}"
        tag = self._draw(st.sampled_from([f" {each}" for each in TAGS.get(type(value), ())] or [""]))
        return str(self._draw(st.sampled_from([anchor, tag, anchor + tag, tag + anchor])))

    def _broken(self, properties: str, margin: str) -> str:
        """Return properties, after which the line may end, with comments."""
        if not properties or self._draw(st.booleans()):
            return properties
        above = "".join(f"{margin}{line}\n" for line in self._above("") if line)
        return f"{properties}{self._beside()}\n{above}{margin.removesuffix(' ')}"

    def _block(self, data: Any, indent: int) -> list[str]:
        """Return the lines of a block collection."""
        lines: list[str] = []
        margin = " " * indent
        step = self._draw(st.sampled_from([1, 2, 4]))
        items = data.items() if isinstance(data, dict) else [("", value) for value in data]
        for key, value in items:
            above = self._draw(st.sampled_from([margin, margin, margin + "  ", ""]))
            lines += self._above(margin if self._is_in_text else above)
            lead = f"{margin}{self._key(key)}:" if isinstance(data, dict) else f"{margin}-"
            lines += self._entry(lead, value, indent, step)
        if self._draw(st.integers(0, 6)) == 0:
            lines.append(margin + self._comment())
        return lines

    def _entry(self, lead: str, value: Any, indent: int, step: int) -> list[str]:
        self._is_in_text = False
        properties = self._properties(value)
        if isinstance(value, dict | list) and value and self._draw(st.booleans()):
            return [lead + properties + self._beside(), *self._block(value, indent + step)]
        lead += self._broken(properties, " " * (indent + step))
        if (
            isinstance(value, str)
            and self._draw(st.integers(0, 2)) == 0
            and (block := self._literal(value, indent + step))
        ):
            self._is_in_text = True
            return [f"{lead} {block[0]}{self._beside(block[0])}", *block[1:]]
        flow = self._flow(value, indent + step)
        if self._draw(st.integers(0, 8)) == 0:
            return [lead + self._beside(), f"{' ' * (indent + step)}{flow}{self._beside(flow)}"]
        return [f"{lead} {flow}{self._beside(flow)}"]

    def _flow(self, value: Any, indent: int) -> str:
        """Return a value in flow style, perhaps on several lines with comments."""
        if not isinstance(value, dict | list):
            return self._scalar(value)
        parts = (
            [f"{self._key(key, in_flow=True)}:{self._inner(inner, indent)}" for key, inner in value.items()]
            if isinstance(value, dict)
            else [self._inner(inner, indent).lstrip(" ") for inner in value]
        )
        open_, close = "{}" if isinstance(value, dict) else "[]"
        if self._draw(st.integers(0, 3)):
            return open_ + ", ".join(parts) + close
        margin = "\n" + " " * (indent + 1)
        above = "".join(margin + line for line in self._above("") if line)
        between = "".join(f"{margin}{part},{self._beside()}" for part in parts)
        return f"{open_}{self._beside()}{above}{between}{margin}{close}"

    def _inner(self, value: Any, indent: int) -> str:
        """Return a value in brackets, with a blank before it."""
        return f"{self._broken(self._properties(value), ' ' * (indent + 2))} {self._flow(value, indent)}"

    def _key(self, key: str, *, in_flow: bool = False) -> str:
        if self._draw(st.integers(0, 9)) == 0:
            self._anchors += 1
            return f"&a{self._anchors} {json.dumps(key, ensure_ascii=False)}"
        plain = key.isalpha() and key not in ("on", "yes") and not in_flow
        return key if plain and self._draw(st.booleans()) else json.dumps(key, ensure_ascii=False)

    def _scalar(self, value: Any) -> str:
        if isinstance(value, str):
            if (
                value.isalpha()
                and value.isascii()
                and value not in ("null", "yes", "true", "false")
                and self._draw(st.booleans())
            ):
                return value
            if value.isprintable() and self._draw(st.booleans()):
                return "'" + value.replace("'", "''") + "'"
            return json.dumps(value, ensure_ascii=all(char < "\U00010000" for char in value))
        if isinstance(value, float) and "e" in repr(value):
            return repr(value)
        return json.dumps(value)

    def _literal(self, value: str, indent: int) -> list[str]:
        """Return the header and lines of a literal block; empty if the value cannot be one."""
        body = value.rstrip("\n")
        if not body.strip() or body[0] in " \t\n" or any(not (char.isprintable() or char == "\n") for char in body):
            return []
        if any(line != line.rstrip() for line in body.split("\n")):
            return []
        ends = len(value) - len(body)
        chomping = "-" if ends == 0 else "" if ends == 1 else "+"
        lines = [" " * indent + line if line else "" for line in body.split("\n")]
        return [f"|{chomping}", *lines, *[""] * (ends - 1)]
