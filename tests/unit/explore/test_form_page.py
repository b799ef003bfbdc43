"""The form of args on its page: what is shown in it comes back as it was, and nothing else is an edit."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.unit.explore.browsing import ORIGIN, Browser
from tests.unit.explore.form_page import sent_form
from toolgen.explore import ask_in_page, explorer
from toolgen.explore.args_form import form_of
from toolgen.runtime import Catalog, Runtime
from toolgen.toolsets import __file__ as _package

FORMATS: Final = ("none", "date", "email", "uri", "password")
SCHEMA: Any = {
    "type": "object",
    "properties": {
        **{name: {"type": "string", "format": name} for name in FORMATS},
        "mark": {"type": "string", "description": "Changed on the page."},
        "any": {},
        "choice": {"enum": ["a\u00a0b", "\0", "x\r\ny"]},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "list": {"type": "array", "items": {"type": "string"}},
    },
}
TOLD: Final = st.text(st.characters(codec=None), max_size=4) | st.sampled_from(
    [
        *(
            "12\u00a0000 €",
            "a\r\nb",
            "a\rb",
            "\na",
            "a\n",
            "\n",
            "soft\u00adhyphen",
            "\U0001f468\u200d\U0001f469",
            "\ud800",
        ),
        *("2026-5-1", "2026-05-01", "2026-02-31", "12026-01-01", " a@b.c", "a@b.c\n", "a\0b", "\u3000", "&amp;<b>\"'"),
        *("\u0085", "\u2028", "%41", "~1", "a/b~c", "\t", " "),
    ]
)
ARGS: Final = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(FORMATS, TOLD),
        "any": TOLD | st.lists(TOLD, max_size=2),
        "choice": st.sampled_from(SCHEMA["properties"]["choice"]["enum"]),
        "map": st.dictionaries(TOLD, TOLD, max_size=3),
        "list": st.lists(TOLD, max_size=3),
        "more": TOLD,
    },
)


async def opened() -> Browser:
    tools = Catalog()
    tools.tool("text.keep", description="Keep.", permission="readonly", input_schema=SCHEMA, profile="full")(len)
    return await Browser(explorer(Runtime(tools, permission=ask_in_page))).start()


async def posted(browser: Browser, fields: dict[str, str]) -> dict[str, str]:
    """Send a form, and return that of the page that comes back."""
    headers = {"HX-Request": "true", "X-CSRF-Token": browser.csrf, "Origin": ORIGIN}
    answer = await browser.http.post("/tools/text.keep/args", data=fields, headers=headers)
    assert answer.status_code == 200, answer.text
    return sent_form(answer.content)


@given(ARGS)
@example(dict(zip(FORMATS, ("a\rb", "2026-5-1", " a@b.c", "u\n", "k\nl"), strict=True)))
@example({"map": {"a\r\nb": "\0", "c\u00a0d": "x", "\ud800": "y"}})
def test_args_come_back_from_the_page_as_they_were(args: Any) -> None:
    async def test() -> None:
        browser = await opened()
        form = await posted(browser, {"source": "json", "text": json.dumps(args)})
        assert json.loads(form["text"]) == json.loads(form["base"]) == args
        again = await posted(browser, {**form, "source": "form", "v:/mark": "edited"})
        assert json.loads(again["text"]) == {**args, "mark": "edited"}
        called = await posted(browser, {**form, "source": "json"})
        assert json.loads(called["text"]) == args

    asyncio.run(test())


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("date", "2026-05-01", "date"),
        ("date", "", "date"),
        ("date", "2026-5-1", "text"),
        ("date", "2026-02-31", "text"),
        ("email", "a@b.c", "email"),
        ("email", " a@b.c", "text"),
        ("uri", "https://a.b/c", "url"),
        ("uri", "https://a.b/c ", "text"),
        ("uri", "https://a.b/\n", "long"),
        ("password", "k", "password"),
        ("password", "k\nl", "long"),
    ],
)
def test_an_input_has_a_special_type_only_if_it_gives_its_value_back(name: str, text: str, kind: str) -> None:
    schema = {"type": "object", "properties": {name: SCHEMA["properties"][name]}}
    (field,) = form_of(schema, {name: text}).fields
    assert (field.kind, field.shown, field.input_type) == ("text", text, kind)


def test_what_no_input_can_hold_is_edited_as_json() -> None:
    schema = {"type": "object", "properties": {"none": {"type": "string"}}}
    for text, shown in (("a\r\nb", r'"a\r\nb"'), ("\0", r'"\u0000"'), ("\ud800", r'"\ud800"')):
        (field,) = form_of(schema, {"none": text}).fields
        assert (field.kind, field.shown) == ("json", shown)


TEMPLATES: Final = Path(_package).parents[1] / "explore" / "templates"
INPUT: Final = re.compile(r"<(?:input|option|button|select|form)\b(?:\{\{.*?\}\}|\{%.*?%\}|[^<>{])*>", re.DOTALL)
GIVEN_BACK: Final = re.compile(
    r'(?:\bvalue|data-(?:args|at|choose|file|link))="([^"]*\{\{.*?\}\}[^"]*)"|\bname="[ckv]:(.*?)"'
)
AREA: Final = re.compile(r"<textarea\b.*?>\n(\{\{.*?\}\})</textarea>", re.DOTALL)


def test_each_value_that_comes_back_is_exact() -> None:
    texts = [file.read_text(encoding="utf-8") for file in TEMPLATES.rglob("*.jinja")]
    found = [each[1] or each[2] for text in texts for tag in INPUT.findall(text) for each in GIVEN_BACK.finditer(tag)]
    areas = [area for text in texts for area in AREA.findall(text)]
    assert len(areas) == sum(text.count("<textarea") for text in texts)
    assert len(found) > 40
    assert [each for each in found + areas if not each.endswith("|exact }}")] == []
