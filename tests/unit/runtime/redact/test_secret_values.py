"""Secret values in text: redacted in every spelling, without affecting others."""

from __future__ import annotations

import base64
import html
import json
import re
import reprlib
import textwrap
import threading
from functools import partial
from html.entities import codepoint2name
from itertools import zip_longest
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from tests.work import assert_linear
from toolgen.runtime.redact import secret_values
from toolgen.runtime.redact.credentials import REDACTED
from toolgen.runtime.redact.escapes import layers
from toolgen.runtime.redact.redact import Rules, redact
from toolgen.runtime.redact.search_terms import is_distinctive
from toolgen.runtime.redact.secret_names import DeclaredNames
from toolgen.runtime.redact.secret_values import SecretValues
from toolgen.schema.references import escape
from toolgen.spec.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable

VALUES = [
    "hunter2",
    'sw"ord\\fish/é 1',
    "line one of it\nline two of it\n",
    "p~a/s&s=<w>'%+ö",
    "\U0001f511-key-\u202e",
    "  spaced out ",
    "".join(f"{number:x}-" for number in range(1000)),
]


def hidden(text: str, *values: Any) -> str:
    return SecretValues(lambda: values).hide(text)


def spellings(value: str) -> dict[str, str]:
    data = value.encode()
    once = json.dumps(value)
    return {
        "as it is": value,
        "stripped": value.strip(),
        "as JSON": once,
        "as JSON in Unicode": json.dumps(value, ensure_ascii=False),
        "as JSON in JSON": json.dumps({"a": once}),
        "as JSON in JSON in JSON": json.dumps(json.dumps({"a": once})),
        "as a representation": repr(value),
        "as bytes": repr(data),
        "as an escaped line": visible(value),
        "in a path of a URL": quote(value, safe=""),
        "in a query": quote_plus(value),
        "in a query, lower case": quote(value, safe="").replace("%C3", "%c3"),
        "in HTML": html.escape(value),
        "in a pointer": escape(value),
        "in hexadecimal": data.hex(),
        "in upper hexadecimal": data.hex().upper(),
        "in base64": base64.b64encode(data).decode(),
        "in base64 for URLs": base64.urlsafe_b64encode(data).decode(),
        "as a login": base64.b64encode(b"bob:" + data).decode(),
        "in a longer text in base64": base64.b64encode(b"12345" + data + b"678").decode(),
        "in base64 of JSON": base64.b64encode(json.dumps({"word": value}, ensure_ascii=False).encode()).decode()
        if "\\" not in json.dumps(value, ensure_ascii=False)
        else value,
    }


@pytest.mark.slow
@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("name", spellings("x"))
def test_a_value_is_found_in_every_spelling(value: str, name: str) -> None:
    spelling = spellings(value)[name]
    shown = hidden(f"before {spelling} after, x{spelling}x", value)
    assert shown.startswith("before ")
    assert REDACTED in shown
    assert " after, x" in shown
    for part in (value.strip(), *value.split("\n"), json.dumps(value)[1:-1], value.encode().hex()):
        assert len(part) < 6 or part not in shown


@pytest.mark.parametrize(
    ("value", "text", "shown"),
    [
        ("", "a text", "a text"),
        ("a", "a text", "a text"),
        ("1", "1 of 1", "1 of 1"),
        ("yes", "yes, yes", "yes, yes"),
        ("true", "it is true", "it is true"),
        ("null", "null", "null"),
        ("------", "a ------ b", "a ------ b"),
        ("redacted", f"{REDACTED}", f"{REDACTED}"),
        ("4711", "pin 4711.", f"pin {REDACTED}."),
        ("4711", "no 14711, 47112 or x4711", "no 14711, 47112 or x4711"),
        ("test", "the latest test", f"the latest {REDACTED}"),
        ("hunter", "hunters", f"{REDACTED}s"),
        (4711, "pin 4711 or 47110", f"pin {REDACTED} or 47110"),
        (123456, "x123456 91234567", f"x{REDACTED} 91234567"),
        (12.5, "12.5", f"{REDACTED}"),
        (123456.0, "123456", f"{REDACTED}"),
        (True, "True true 1", "True true 1"),
        (None, "None null", "None null"),
        (["hunter2", {"a": ["swordfish"]}], "swordfish hunter2", f"{REDACTED} {REDACTED}"),
        ('{"deep": "hunter2"}', "it is hunter2", f"it is {REDACTED}"),
        ("Bearer hunter22", "got hunter22", f"got {REDACTED}"),
        ("hunter2", "hunter2hunter2", REDACTED),
    ],
)
def test_short_and_common_values_are_kept_unless_they_are_the_whole_text(value: Any, text: str, shown: str) -> None:
    assert hidden(text, value) == shown
    assert hidden(shown, value) == shown


BESIDE = st.sampled_from(
    ['"n": ' + "7" * 5_000, '"k": null', '"n": -' + "9" * 20_000, '"deep": ' + "[" * 150 + "]" * 150, '"n": 1']
)


@example(0, '"n": 1', '"k": null', False, "")
@given(st.integers(0, 2_000), BESIDE, BESIDE, st.booleans(), st.sampled_from(["", " ", "\n"]))
def test_a_value_inside_json_is_hidden_however_a_parser_reads_it(
    depth: int,
    before: str,
    after: str,
    is_list: bool,
    space: str,
) -> None:
    """Nested deeply, beside integers of any length, and under a key that is there twice."""
    inner = f'{{{before}, "k": "zq7-hunter-2", {after}}}'
    opened, closed = ("[", "]") if is_list else ('{"a": ', "}")
    value = space + opened * depth + inner + closed * depth
    assert "zq7-hunter-2" not in hidden("it is zq7-hunter-2", value)
    assert "zq7-hunter-2" not in SecretValues(lambda: (), SecretValues(lambda: [value])).hide("it is zq7-hunter-2")
    rules = Rules(names=DeclaredNames(["k"], []))
    assert "zq7-hunter-2" not in json.dumps(redact({"text": value}, rules=rules))
    assert "zq7-hunter-2" not in json.dumps(redact({"text": json.dumps(value)}, rules=rules))


@given(st.integers(1, 12), st.sampled_from(["value", "text", "base"]))
def test_a_value_is_hidden_in_json_in_json_however_deep(deep: int, place: str) -> None:
    """Each is escaped once more: in the text, or in the value that is secret."""
    secret, text = '{"a": "sword\\"fish-1"}', json.dumps({"got": 'sword"fish-1'})
    for _ in range(deep):
        if place == "text":
            text = json.dumps(text)
        else:
            secret = json.dumps(secret)
    values = SecretValues(lambda: [secret])
    shown = (SecretValues(tuple, values) if place == "base" else values).hide(text)
    assert "sword" not in shown
    assert "fish" not in shown


def test_the_visible_part_of_a_truncated_value_is_redacted() -> None:
    value = "abcdefghijklmnopqrstuvwxyz0123456789"
    assert hidden(f"found {value[:20]} and", value) == f"found {REDACTED} and"
    assert hidden(f"found {value[:9]}…", value) == f"found {REDACTED}…"
    assert hidden(f"{value[:7]}\n[cut: these are the first 7 bytes]", value).startswith(f"{REDACTED}\n[cut")
    assert hidden(f"found {value[:9]} whole", value) == f"found {value[:9]} whole"


class Ports(BaseModel):
    """A model whose field is sent something else, which the error quotes."""

    ports: list[int]


def pydantic_error(text: str) -> str:
    with pytest.raises(ValidationError) as raised:
        Ports.model_validate({"ports": text})
    return str(raised.value)


MARKS = (
    "...",
    "....",
    "\u2026",
    " [...] ",
    "<truncated>",
    " (truncated) ",
    "[TRUNCATED 12 bytes]",
    "\n[cut: 12 bytes]\n",
    "&hellip;",
)
CODED: list[Callable[[str], str]] = [str, repr, json.dumps, quote]
KEYS = st.builds(
    "{}{}{}".format,
    st.text("hijkl12", min_size=6, max_size=20),
    st.text("ABC089-_+=/<é日\U0001f511", max_size=80),
    st.text("pqrst67", min_size=6, max_size=20),
)


def assert_is_hidden(text: str, secret: str) -> None:
    """Assert that neither end of a secret, of six characters and more, can be read in what is shown."""
    shown = hidden(text, secret)
    assert REDACTED in shown
    for layer in layers(shown):
        assert secret[:6] not in layer.text, shown
        assert secret[-6:] not in layer.text, shown
    assert hidden(shown, secret) == shown


@given(KEYS, st.sampled_from(CODED), st.sampled_from(MARKS), st.integers(6), st.integers(6))
def test_a_value_is_hidden_wherever_it_is_cut(
    key: str, encode: Callable[[str], str], mark: str, kept: int, left: int
) -> None:
    coded = encode(key)
    beginning = coded[: max(kept % len(coded), coded.index(key[5]) + 6)]
    end = coded[-max(left % len(coded), 6) :]
    for text in (f"{beginning}{mark}", f"{mark}{end}", f"{beginning}{mark}{end}"):
        shown = hidden(f"before: {text} :after", key)
        for layer in layers(shown):
            assert key[:6] not in layer.text, shown
            assert key[-6:] not in layer.text, shown


@given(KEYS)
def test_a_value_is_hidden_in_what_python_cuts(key: str) -> None:
    assert_is_hidden(reprlib.repr(key), key)
    assert_is_hidden(pydantic_error(key), key)
    assert_is_hidden(json.dumps({"error": pydantic_error(key)}), key)


def test_a_value_of_words_is_hidden_in_what_python_cuts() -> None:
    value = "correct horse battery staple of mine"
    assert hidden(textwrap.shorten(f"as {value}", 24), value) == f"as {REDACTED}[...]"
    assert hidden(textwrap.shorten(f"as {value}", 24, placeholder="..."), value) == f"as {REDACTED}..."


def test_the_ends_of_a_long_text_may_be_cut() -> None:
    value = "hunter2-swordfish"
    text = f"fish {'some words ' * 30}"
    assert hidden(f"swordfish {text}", value) == f"{REDACTED} {text}"
    assert hidden(f"{text}hunter2", value) == f"{text}{REDACTED}"
    assert hidden(value[-12:] + text, value) == REDACTED + text
    for kept in ("swordfish", "as hunter2", "hunter2"):
        assert hidden(kept, value) == kept


@pytest.mark.parametrize(
    "text",
    [
        "hunte...",
        "...sword",
        "hunter2 and more...",
        "... this is the swordfish",
        "a swordfish. hunter2.",
        "wait... what [...] then <truncated> [cut: 1 more block]",
        "------...",
        "12345678...",
        "9123456...",
    ],
)
def test_text_beside_a_mark_stays(text: str) -> None:
    assert hidden(text, "hunter2-swordfish", "-----------x", 1234567) == text


def test_part_of_a_number_is_a_number() -> None:
    assert hidden("port 1234567...", 123456789) == f"port {REDACTED}..."


def test_a_person_sees_a_part_that_could_be_executable() -> None:
    values = SecretValues(lambda: ["poweroff-1/bin/shutdown"])
    assert values.hide_from_person("poweroff... .../bin/shutdown") == "poweroff... .../bin/shutdown"
    assert values.hide_from_person("poweroff-1...") == f"{REDACTED}..."


def test_numbers_are_recognized_as_numbers() -> None:
    values = SecretValues(lambda: ["123456", 4711, 7, 2.5])
    assert [number for number in (123456, 4711, 7, 2.5, 5) if values.has(number)] == [123456, 4711]


def test_with_too_many_secrets_all_text_is_redacted_except_for_a_person() -> None:
    values = SecretValues(lambda: [f"secret number {number}" for number in range(2000)])
    assert values.hide("anything") == REDACTED
    assert values.hide_from_person("anything") == "anything"


def test_a_person_sees_secrets_that_could_be_executable() -> None:
    for command in ("rm -rf /", "poweroff", "/usr/bin/x1", "$(x1)", "a1;b", "x1|sh"):
        assert SecretValues(partial(list, [command])).hide_from_person(f"run {command}") == f"run {command}"
    assert SecretValues(lambda: ["hunter2"]).hide_from_person("as hunter2") == f"as {REDACTED}"


@given(st.text(min_size=6, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_a_value_is_redacted_in_any_context(value: str, before: str, after: str) -> None:
    shown = hidden(f"{before}{value}{after}", value)
    assert len(value.strip()) < 6 or not is_distinctive(value) or value not in shown.replace(REDACTED, "\0")
    assert hidden(shown, value) == shown


ESCAPES: list[Callable[[str], str]] = [
    lambda char: char,
    lambda char: f"\\u{ord(char):04x}",
    lambda char: f"\\\\u{ord(char):04X}",
    lambda char: f"%u{ord(char):04X}",
    lambda char: f"\\u{{{ord(char):x}}}",
    lambda char: f"\\x{ord(char):02x}",
    lambda char: f"%{ord(char):02X}",
    lambda char: f"&#{ord(char)};",
    lambda char: f"&#x{ord(char):04x};",
    lambda char: f"&#X{ord(char):X};",
]


@given(
    st.lists(st.tuples(st.sampled_from("abcxyz0189-_ /+%&;#"), st.sampled_from(ESCAPES)), min_size=8, max_size=40),
    st.sampled_from(["", "x", "%41", "\\\\", "&#65; "]),
)
def test_each_character_may_be_escaped_in_a_way_of_its_own(chars: list[tuple[str, Any]], around: str) -> None:
    value = "".join(char for char, _ in chars)
    assume(any(map(str.isalnum, value)) and len(value.strip()) >= 8)
    text = f"{around} {''.join(escaped(char) for char, escaped in chars)} {around}"
    assert hidden(text, value) == f"{around} {REDACTED} {around}"


def units(text: str) -> list[int]:
    """Return the UTF-16 code units of a text."""
    data = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2)]


def by_unit(text: str, form: str, *, kept: str = "") -> str:
    """Return a text with each UTF-16 code unit but those of plain or kept characters in a form."""
    plain = re.compile(rf"[A-Za-z0-9{re.escape(kept)}]")
    return "".join(char if plain.match(char) else "".join(form.format(unit) for unit in units(char)) for char in text)


def named(text: str) -> str:
    """Return a text with named character references, as PHP's `htmlentities` writes it."""
    return "".join(f"&{codepoint2name[ord(c)]};" if ord(c) in codepoint2name else c for c in text)


ENCODERS: dict[str, Callable[[str], str]] = {
    "Python JSON": json.dumps,
    "JavaScript JSON": partial(json.dumps, ensure_ascii=False),
    ".NET JSON": lambda text: by_unit(text, "\\u{:04X}", kept=" /-:"),
    "PHP JSON": lambda text: json.dumps(text).replace("/", "\\/"),
    "Go JSON": lambda text: json.dumps(text, ensure_ascii=False).translate({ord(c): f"\\u{ord(c):04x}" for c in "<>&"}),
    "Python repr": repr,
    "Python ascii": ascii,
    "Python bytes": lambda text: repr(text.encode()),
    "unicode_escape": lambda text: text.encode("unicode_escape").decode(),
    "Rust": lambda text: "".join(c if c.isascii() else f"\\u{{{ord(c):x}}}" for c in text.replace("\\", "\\\\")),
    "bash printf %q": lambda text: re.sub(r"([^\w./:-])", r"\\\1", text),
    "URL": partial(quote, safe=""),
    "URL in lower case": lambda text: re.sub("%..", lambda found: found[0].lower(), quote(text, safe="")),
    "form": quote_plus,
    "URL of each byte": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "JavaScript escape": lambda text: "".join(
        c if c.isalnum() and c.isascii() else f"%{ord(c):02X}" if ord(c) < 256 else by_unit(c, "%u{:04X}") for c in text
    ),
    "HTML": html.escape,
    "named HTML": named,
    "numeric HTML": lambda text: html.escape(text).encode("ascii", "xmlcharrefreplace").decode(),
    "hexadecimal HTML": lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    "JSON pointer": escape,
    "visible": visible,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
}
SECRETS = {
    "ASCII": "s3cr3t/\\n <&\"'%7+=~1-:x",
    "Latin-1": "p\u00e4ss/w\u00f6rd-\u00a01",
    "CJK": "\u65e5\u672c\u8a9e/\u5bc6\u7801-1",
    "emoji": "key-\U0001f511/\U0001f600-\u20ac1",
    "control": "tab\there\nline two\x1b\u202e",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("encode", ENCODERS.values(), ids=ENCODERS)
def test_what_an_encoder_writes_is_found(encode: Callable[[str], str], secret: str) -> None:
    """Also if that is encoded again; bytes in base64 and hexadecimal hide what was encoded before."""
    texts = [encode(secret)]
    if not is_opaque(encode):
        texts += [second(encode(secret)) for second in ENCODERS.values() if not is_opaque(second)]
    for text in texts:
        shown = hidden(f"before {text} after", secret)
        assert re.fullmatch(r"before \S{0,40}\[redacted\]\S{0,40} after", shown), (text, shown)


def is_opaque(encode: Callable[[str], str]) -> bool:
    return encode in (ENCODERS["base64"], ENCODERS["hexadecimal"])


def test_base64_and_hexadecimal_of_json_are_searched() -> None:
    for secret in SECRETS.values():
        for is_ascii in (True, False):
            data = json.dumps({"word": secret}, ensure_ascii=is_ascii).encode()
            for text in (base64.b64encode(data).decode(), quote(base64.b64encode(data).decode()), data.hex()):
                assert REDACTED in hidden(text, secret)


def test_only_the_escaped_value_is_replaced() -> None:
    text = (
        'C:\\new\\u00e4 100%25 &amp; {"a": "\\u00e4p\\u00E4ss\\/w\\u00f6rd-\\n1\\u00e4"} ~1 &nosuch; &#9999999; \\ud800'
    )
    secret = "p\u00e4ss/w\u00f6rd-\n1"
    assert hidden(text, secret) == text.replace("p\\u00E4ss\\/w\\u00f6rd-\\n1", REDACTED)
    plain = text.replace("rd", "xx")
    assert hidden(plain, secret) is plain


def test_a_person_sees_an_escaped_value_that_could_be_executable() -> None:
    values = SecretValues(lambda: ["poweroff1/x"])
    for text in ("poweroff&#49;/x", "poweroff\\u0031/x"):
        assert values.hide_from_person(f"run {text}") == f"run {text}"
        assert values.hide(f"run {text}") == f"run {REDACTED}"
    assert values.hide_from_person("as poweroff1%2Fx") == f"as {REDACTED}"


@pytest.mark.slow
def test_a_search_for_many_values_with_escapes_takes_linear_time() -> None:
    values = SecretValues(lambda: ["ab" * 254 + f"{number:03d}" for number in range(30)])

    def work(part: str, size: int) -> Callable[[], object]:
        return partial(values.hide, part * (size // len(part)))

    for part in ("%61b", "\\\\", "\\u0061b", "&#", "&#000", "&amp;", "%C3", "\\ud83d", "~1", "%2525"):
        assert_linear(partial(work, part), 50_000)


@pytest.mark.slow
def test_a_search_takes_linear_time() -> None:
    values = SecretValues(lambda: ["ab" * 40, "a" * 30, "aaaaaa", "b" * 5000])

    def work(part: str, size: int) -> Callable[[], object]:
        return partial(values.hide, part * (size // len(part)))

    for part in ("a", "ab", "b", "aaaaab", "…aaaaaa", "…", "ab...", "...ab", "(", "(truncated", "...baaaaa", "[cut:"):
        assert_linear(partial(work, part), 100_000)


LARGE: dict[str, Callable[[int], str]] = {
    "one beginning": lambda number: "a" * 16 + f"{number:04}" * 3,
    "one long beginning": lambda number: "a" * 200 + f"{number:04}",
    "a short beginning": lambda number: "aaaaaa" + f"{number:04}" * 3,
    "one end": lambda number: f"{number:04}" * 3 + "a" * 16,
    "nothing in common": lambda number: f"{number * number + 1:x}-" * 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("value_of", LARGE.values(), ids=LARGE)
@pytest.mark.variants(2)
def test_a_search_takes_as_long_for_many_values_as_for_few(value_of: Callable[[int], str]) -> None:
    """A text is searched with values in proportion to its length: with each by itself, that is quadratic."""

    def work(part: str, size: int) -> Callable[[], object]:
        values = SecretValues(lambda: [value_of(number) for number in range(size // 1_400)])
        values.hide("")
        return partial(values.hide, part * (size // len(part)))

    for part in ("a", "a" * 16 + " ", "aaaaaa...", "...aaaaaa", "a" * 16 + "0001", "\\u0061", "some words, "):
        assert_linear(partial(work, part), 100_000)


@given(
    st.lists(st.text("ab", min_size=16, max_size=30), min_size=1, max_size=4),
    st.lists(st.sampled_from(["a", "ab", "bba", " "]), max_size=5),
    st.lists(st.tuples(st.integers(0, 3), st.integers(6, 40)), min_size=1, max_size=6),
    st.integers(0, 300),
)
def test_values_are_hidden_wherever_they_overlap(
    values: list[str], between: list[str], cuts: list[tuple[int, int]], more: int
) -> None:
    """Also if there are so many values that they are searched for in another way."""
    parts = [values[place % len(values)][:length] for place, length in cuts]
    text = "".join(map("".join, zip_longest(parts, between, fillvalue="")))
    shown = hidden(text, *values, *(f"other {number}" for number in range(more)))
    assert not any(value in shown for value in values)
    assert len(shown) <= len(text) or REDACTED in shown


def test_values_are_hidden_in_every_thread_while_one_collects_them() -> None:
    """The first thread that needs them collects them; one that comes meanwhile may not find none."""
    begun, others = threading.Event(), threading.Event()

    def terms(*given: Any) -> Any:
        begun.set()
        others.wait(10)
        return real(*given)

    real = secret_values._terms
    values = SecretValues(lambda: ["hunter2-a"], SecretValues(lambda: ["hunter2-b"]))
    found: list[str] = []
    text = "hunter2-a and hunter2-b"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secret_values, "_terms", terms)
        first = threading.Thread(target=lambda: found.append(values.hide(text)))
        first.start()
        assert begun.wait(10)
        patch.setattr(secret_values, "_terms", real)
        found.append(values.hide(text))
        others.set()
        first.join(10)
    assert found == [f"{REDACTED} and {REDACTED}"] * 2
