"""A reference for styles: the expansion of RFC 6570 (section 3.2.1, appendix A), and what OpenAPI adds to it.

It shares no code with the product, and it is written to be compared with the texts, not to be fast. `styles.jsonl` is
what it says of each case; `python -m tests.unit.execute.http.style_reference` writes it.
"""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any, Final, NamedTuple

TABLE: Final = Path(__file__).with_name("styles.jsonl")
REFUSED: Final = {"refused": True}
"""A call that is refused: nothing is sent."""

UNRESERVED: Final = string.ascii_letters + string.digits + "-._~"
RESERVED: Final = ":/?#[]@!$&'()*+,;="
HEX: Final = frozenset("0123456789abcdefABCDEF")


class Operator(NamedTuple):
    """A row of the table in appendix A of RFC 6570. `first` is what OpenAPI keeps of it: not the `?` of `form`."""

    first: str
    sep: str
    named: bool
    ifemp: str


OPERATORS: Final = {
    "simple": Operator("", ",", named=False, ifemp=""),
    "label": Operator(".", ".", named=False, ifemp=""),
    "matrix": Operator(";", ";", named=True, ifemp=""),
    "form": Operator("", "&", named=True, ifemp="="),
}
DELIMITED: Final = {"spaceDelimited": "%20", "pipeDelimited": "%7C", "tabDelimited": "%09"}
"""The separators that OpenAPI adds, encoded, as its examples have them."""


class Case(NamedTuple):
    """One case: a parameter, or a field of a form, and a value for it."""

    version: str
    place: str
    style: str
    explode: bool
    reserved: bool
    value: Any
    collection: str = ""


def text_of(value: Any) -> str:
    """A scalar as text: OpenAPI leaves it to implementations, and all take JSON's."""
    return value if isinstance(value, str) else json.dumps(value)


def allowed(text: str, kept: str) -> str:
    """Section 3.2.1: each character that is not kept is encoded; with reserved ones kept, triples are too."""
    made = ""
    position = 0
    while position < len(text):
        char = text[position]
        is_triple = char == "%" and len(text) > position + 2 and set(text[position + 1 : position + 3]) <= HEX
        if is_triple and kept:
            made += text[position : position + 3]
            position += 3
            continue
        made += char if char in UNRESERVED or char in kept else "".join(f"%{byte:02X}" for byte in char.encode())
        position += 1
    return made


def undefined(value: Any) -> bool:
    """Section 2.3: null, a list without members, an object without members that are defined."""
    if isinstance(value, list):
        return all(item is None for item in value)
    if isinstance(value, dict):
        return all(item is None for item in value.values())
    return value is None


def expand(name: str, value: Any, operator: Operator, kept: str, *, explode: bool, joint: str = ",") -> str | None:
    """Section 3.2.1, step by step; None where nothing is expanded."""
    if undefined(value):
        return None
    label = allowed(name, "")
    if not isinstance(value, list | dict):
        text = allowed(text_of(value), kept)
        return operator.first + (_named(label, text, operator) if operator.named else text)
    members = [item for item in value if item is not None] if isinstance(value, list) else []
    fields = {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else {}
    if not explode:
        parts = [allowed(text_of(item), kept) for item in members]
        parts += [allowed(text_of(part), kept) for field in fields.items() for part in field]
        text = joint.join(parts)
        return operator.first + (_named(label, text, operator) if operator.named else text)
    if isinstance(value, list):
        texts = [allowed(text_of(item), kept) for item in members]
        return operator.first + operator.sep.join(
            _named(label, text, operator) if operator.named else text for text in texts
        )
    pairs = [
        (allowed(key, "" if operator.named else kept), allowed(text_of(item), kept)) for key, item in fields.items()
    ]
    return operator.first + operator.sep.join(
        _named(key, text, operator) if operator.named else f"{key}={text}" for key, text in pairs
    )


def _named(name: str, text: str, operator: Operator) -> str:
    return f"{name}={text}" if text else f"{name}{operator.ifemp}"


COOKIE_OCTETS: Final = frozenset(chr(code) for code in range(0x21, 0x7F)) - frozenset('",;\\')


def reference(case: Case) -> Any:
    """What is sent: text, None where nothing is, or `REFUSED`."""
    value, style, explode = case.value, case.style, case.explode
    match case.place:
        case "path":
            # Never `/`, `?`, `#` (OpenAPI 3.2, 4.8.2), and no `[`, `]`, which no segment has (RFC 3986, section 3.3).
            kept = "".join(sorted(set(RESERVED) - set("/?#[]"))) if case.reserved else ""
            sent = expand(
                "v",
                value,
                OPERATORS["simple" if style in DELIMITED else style],
                kept,
                explode=explode,
                joint=DELIMITED.get(style, ","),
            )
            if sent is None or not sent.strip("."):  # a segment that is empty, `.` or `..` is another path
                return REFUSED
            return sent
        case "query" | "form":
            # Never `#`, `[`, `]` (RFC 3986, section 3.4), nor what ends a field or is a blank in one: `&`, `+`.
            kept = "".join(sorted(set(RESERVED) - set("#[]&+"))) if case.reserved else ""
            if undefined(value):
                return None
            if style == "deepObject":
                if not isinstance(value, dict):
                    return (
                        f"v={allowed(text_of(value), kept)}"
                        if not isinstance(value, list)
                        else "&".join(
                            f"v%5B{index}%5D={allowed(text_of(item), kept)}"
                            for index, item in enumerate(value)
                            if item is not None
                        )
                    )
                return "&".join(
                    f"{allowed(f'v[{key}]', '')}={allowed(text_of(item), kept)}"
                    for key, item in value.items()
                    if item is not None
                )
            return expand("v", value, OPERATORS["form"], kept, explode=explode, joint=DELIMITED.get(style, ","))
        case "header":
            if undefined(value):
                return None
            parts = _unencoded(value, explode=explode)
            return {"tabDelimited": "\t", "spaceDelimited": " ", "pipeDelimited": "|"}.get(style, ",").join(parts)
        case _:
            return _cookie(case)


def _unencoded(value: Any, *, explode: bool) -> list[str]:
    """Headers are not percent-encoded: their characters are not those of URLs."""
    if isinstance(value, list):
        return [text_of(item) for item in value if item is not None]
    if isinstance(value, dict):
        fields = [(key, text_of(item)) for key, item in value.items() if item is not None]
        return [f"{key}={text}" for key, text in fields] if explode else [part for field in fields for part in field]
    return [text_of(value)]


def _cookie(case: Case) -> Any:
    """As `form`, with `; ` between pairs. The style `cookie` escapes nothing: what no cookie has is refused."""
    value = case.value
    if undefined(value):
        return None
    if case.style == "form":
        kept = "".join(sorted(set(RESERVED) - set(",;"))) if case.reserved else ""
        sent = expand("v", value, OPERATORS["form"]._replace(sep="; "), kept, explode=case.explode)
        assert sent is not None
        return sent
    if case.explode and isinstance(value, dict):
        pairs = [(key, [text_of(item)]) for key, item in value.items() if item is not None]
    elif case.explode and isinstance(value, list):
        pairs = [("v", [text_of(item)]) for item in value if item is not None]
    else:
        pairs = [("v", _unencoded(value, explode=False))]
    if not all(COOKIE_OCTETS.issuperset("".join((key, *parts))) for key, parts in pairs):
        return REFUSED
    return "; ".join(f"{key}={','.join(parts)}" for key, parts in pairs)


SCALARS: Final[list[Any]] = [
    *(
        "",
        "blue",
        "日本 é",
        "a b",
        "a.b",
        "100%",
        "%41",
        "a%2Cb%2c",
        RESERVED,
        "!\"$%&'()*+,-",
        "<>^`{|}\\",
        "=&",
        "~_-",
    ),
    *(7, -1, 1.5, True, False, None),
]
LISTS: Final[list[Any]] = [
    *([], [""], ["blue"], ["blue", "black", "brown"], ["a", "", "c"], ["a", None, "b"], [None], [1, 2.5, True]),
    *(["a,b", "c d", "e|f"], ["日本", "%41", "&=;"]),
]
OBJECTS: Final[list[Any]] = [
    *(
        {},
        {"R": 100, "G": 200, "B": 150},
        {"k": ""},
        {"k": None},
        {"k": None, "j": 1},
        {"a b": "c d"},
        {"x": "y,z", "=": "&;"},
    ),
    *({"k": True}, {"日": "本"}),
]
EVERY: Final = [*SCALARS, *LISTS, *OBJECTS]


def cases() -> list[Case]:
    """The cases: each place, style, explode and allowReserved that the versions have, with each value."""
    forms = [
        *(
            ("3.2", "path", style, explode, reserved)
            for style in ("simple", "label", "matrix")
            for explode in (False, True)
            for reserved in (False, True)
        ),
        *(("3.0", "query", "form", explode, reserved) for explode in (False, True) for reserved in (False, True)),
        *(
            ("3.0", "query", style, False, reserved)
            for style in ("spaceDelimited", "pipeDelimited")
            for reserved in (False, True)
        ),
        *(("3.0", "query", "deepObject", True, reserved) for reserved in (False, True)),
        *(("3.0", "header", "simple", explode, False) for explode in (False, True)),
        *(("3.0", "cookie", "form", explode, False) for explode in (False, True)),
        *(("3.2", "cookie", "form", explode, True) for explode in (False, True)),
        *(("3.2", "cookie", "cookie", explode, False) for explode in (False, True)),
    ]
    found = [Case(*form, value) for form in forms for value in EVERY]
    swagger = {"csv": "form", "ssv": "spaceDelimited", "tsv": "tabDelimited", "pipes": "pipeDelimited", "multi": "form"}
    for written, style in swagger.items():
        for place in ("query", "path", "header") if written != "multi" else ("query",):
            own = "simple" if style == "form" and place != "query" else style
            found += [Case("2.0", place, own, written == "multi", False, value, written) for value in LISTS]
    return [case for case in found if is_defined(case)]


def is_defined(case: Case) -> bool:
    """Whether OpenAPI defines a case: the styles with separators of their own have no scalars, `deepObject` no lists.

    Headers and cookies cannot have all characters; what they cannot is tested elsewhere.
    """
    value = case.value
    if (
        (case.style in DELIMITED or case.style == "deepObject")
        and not isinstance(value, list | dict)
        and value is not None
    ):
        return False
    return not (case.style == "deepObject" and isinstance(value, list))


def lines() -> list[str]:
    """The lines of the table."""
    return [json.dumps({**case._asdict(), "sent": reference(case)}, ensure_ascii=False) for case in cases()]


if __name__ == "__main__":
    TABLE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
