"""The table of styles: each case of `styles.jsonl` is imported, compiled, called, and sent as the table says.

The table is the reference's (`style_reference.py`), and that is held by the examples of OpenAPI and RFC 6570.
"""

# tables with one row per line

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.execute.http.api import Recorder, import_text, invoke_all, package_of
from tests.unit.execute.http.style_reference import OPERATORS, REFUSED, TABLE, Case, expand, lines, reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.unit.execute.http.api import Recorded
    from toolgen.runtime import Catalog

ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
KEYS = ("version", "place", "style", "explode", "reserved", "collection")
FORMS: dict[str, tuple[Any, ...]] = {
    "_".join(["v", *(str(part).replace(".", "") for part in form if part != "")]): form
    for form in dict.fromkeys(tuple(row[key] for key in KEYS) for row in ROWS)
}
"""The combinations of the table by the name of the operation for each."""

BLUE, LIST, OBJECT = "blue", ["blue", "black", "brown"], {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("style", "explode", "empty", "string", "array", "object_"),
    [
        ("matrix", False, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("matrix", True, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
        ("label", False, ".", ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", True, ".", ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("simple", False, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", True, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("form", False, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
        ("form", True, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
    ],
)
def test_the_reference_has_the_examples_of_openapi(
    style: str, explode: bool, empty: str, string: str, array: str, object_: str
) -> None:
    for value, sent in (("", empty), (BLUE, string), (LIST, array), (OBJECT, object_)):
        assert expand("color", value, OPERATORS[style], "", explode=explode) == sent


@pytest.mark.parametrize(
    ("case", "sent"),
    [
        (Case("3.0", "query", "spaceDelimited", False, False, LIST), "v=blue%20black%20brown"),
        (Case("3.0", "query", "spaceDelimited", False, False, OBJECT), "v=R%20100%20G%20200%20B%20150"),
        (Case("3.0", "query", "pipeDelimited", False, False, LIST), "v=blue%7Cblack%7Cbrown"),
        (Case("3.0", "query", "deepObject", True, False, OBJECT), "v%5BR%5D=100&v%5BG%5D=200&v%5BB%5D=150"),
        (Case("3.2", "cookie", "cookie", True, False, LIST), "v=blue; v=black; v=brown"),
        (Case("3.2", "cookie", "cookie", False, False, OBJECT), "v=R,100,G,200,B,150"),
        (Case("3.2", "cookie", "cookie", True, False, OBJECT), "R=100; G=200; B=150"),
    ],
)
def test_the_reference_has_what_openapi_adds(case: Case, sent: str) -> None:
    assert reference(case) == sent


VARIABLES: dict[str, Any] = {
    "var": "value", "hello": "Hello World!", "half": "50%", "path": "/foo/bar", "empty": "", "undef": None, "x": "1024",
    "list": ["red", "green", "blue"], "keys": {"semi": ";", "dot": ".", "comma": ","}, "v": "6", "who": "fred",
}  # fmt: skip
KEPT = ":/?#[]@!$&'()*+,;="


@pytest.mark.parametrize(
    ("style", "name", "explode", "kept", "sent"),
    [
        ("simple", "var", False, "", "value"),
        ("simple", "hello", False, "", "Hello%20World%21"),
        ("simple", "half", False, "", "50%25"),
        ("simple", "list", True, "", "red,green,blue"),
        ("simple", "keys", False, "", "semi,%3B,dot,.,comma,%2C"),
        ("simple", "keys", True, "", "semi=%3B,dot=.,comma=%2C"),
        ("simple", "hello", False, KEPT, "Hello%20World!"),
        ("simple", "half", False, KEPT, "50%25"),
        ("simple", "path", False, KEPT, "/foo/bar"),
        ("simple", "keys", False, KEPT, "semi,;,dot,.,comma,,"),
        ("simple", "undef", False, "", None),
        ("label", "who", False, "", ".fred"),
        ("label", "half", False, "", ".50%25"),
        ("label", "list", False, "", ".red,green,blue"),
        ("label", "list", True, "", ".red.green.blue"),
        ("label", "keys", False, "", ".semi,%3B,dot,.,comma,%2C"),
        ("label", "keys", True, "", ".semi=%3B.dot=..comma=%2C"),
        ("matrix", "half", False, "", ";half=50%25"),
        ("matrix", "empty", False, "", ";empty"),
        ("matrix", "list", False, "", ";list=red,green,blue"),
        ("matrix", "list", True, "", ";list=red;list=green;list=blue"),
        ("matrix", "keys", False, "", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("matrix", "keys", True, "", ";semi=%3B;dot=.;comma=%2C"),
        ("form", "half", False, "", "half=50%25"),
        ("form", "empty", False, "", "empty="),
        ("form", "list", True, "", "list=red&list=green&list=blue"),
        ("form", "keys", False, "", "keys=semi,%3B,dot,.,comma,%2C"),
        ("form", "keys", True, "", "semi=%3B&dot=.&comma=%2C"),
    ],
)
def test_the_reference_has_the_examples_of_rfc_6570(
    style: str, name: str, explode: bool, kept: str, sent: str | None
) -> None:
    assert expand(name, VARIABLES[name], OPERATORS[style], kept, explode=explode) == sent


def test_the_table_is_what_the_reference_says() -> None:
    found = TABLE.read_text(encoding="utf-8").splitlines()
    assert found == lines(), "run `python -m tests.unit.execute.http.style_reference`, and read the difference"
    assert len(found) >= 715


def parameter(form: tuple[Any, ...]) -> dict[str, Any]:
    version, place, style, explode, reserved, collection = form
    head = {"name": "v", "in": place, "required": place == "path"}
    if version == "2.0":
        return {**head, "type": "array", "items": {}, "collectionFormat": collection}
    return {**head, "style": style, "explode": explode, "allowReserved": reserved, "schema": {}}


def described(version: str, forms: Mapping[str, tuple[Any, ...]]) -> str:
    paths = {
        f"/{name}" + ("/{v}" if form[1] == "path" else ""): {
            "get": {"operationId": name, "parameters": [parameter(form)], "responses": {"200": {"description": "ok"}}}
        }
        for name, form in forms.items()
    }
    if version == "2.0":
        return json.dumps({"swagger": "2.0", "info": {"title": "x", "version": "1"}, "host": "app", "paths": paths})
    head = {"openapi": f"{version}.0", "info": {"title": "x", "version": "1"}, "servers": [{"url": "http://app"}]}
    return json.dumps({**head, "paths": paths})


def imported(version: str, forms: Mapping[str, tuple[Any, ...]]) -> str:
    text, messages = import_text(described(version, forms))
    assert messages == []
    assert text is not None
    return text


@pytest.fixture(scope="module")
def catalogs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Catalog]:
    """The operations of all versions, compiled. Args of paths may have separators: the table is about styles."""
    made: dict[str, Catalog] = {}
    for version in ("2.0", "3.2"):
        forms = {name: form for name, form in FORMS.items() if (form[0] == "2.0") is (version == "2.0")}
        text = (
            imported(version, forms)
            .replace("v: path", "v: {in: path}")
            .replace("in: path", "in: path, separators: encode")
        )
        name = f"compiled_table_{version[0]}"
        made[version] = package_of(tmp_path_factory.mktemp(name), name, text)
    return made


@pytest.mark.parametrize("name", FORMS)
def test_each_case_is_sent_as_the_table_says(catalogs: dict[str, Catalog], name: str) -> None:
    form = FORMS[name]
    catalog = catalogs["2.0" if form[0] == "2.0" else "3.2"]
    rows = [row for row in ROWS if tuple(row[key] for key in KEYS) == form]
    recorder = Recorder()
    results = invoke_all(catalog, [(name, {"v": row["value"]}) for row in rows], app=recorder)
    sent = iter(recorder.requests)
    for row, result in zip(rows, results, strict=True):
        if row["sent"] == REFUSED:
            assert result.error is not None, row
            assert result.error.kind == "invalid_call"
            assert result.error.code in ("invalid_path_value", "invalid_cookie_value")
        else:
            assert result.error is None, (row, result.error)
            assert sent_by(next(sent), form[1]) == row["sent"], row
    assert list(sent) == []


def sent_by(request: Recorded, place: str) -> str | None:
    match place:
        case "path":
            return request.path.split("/", 2)[2]
        case "query":
            return request.query or None
        case _:
            text = request.header("cookie" if place == "cookie" else "v")
            return None if text is None else text.encode("latin-1").decode()


def test_all_versions_of_openapi_3_mean_the_same() -> None:
    forms = {name: form for name, form in FORMS.items() if form[0] == "3.0"}
    texts = {version: imported(version, forms) for version in ("3.0", "3.1", "3.2")}
    assert texts["3.0"] == texts["3.1"] == texts["3.2"]


@pytest.mark.parametrize(
    ("version", "listed", "reason"),
    [
        (
            "2.0",
            {"in": "path", "type": "array", "items": {}, "collectionFormat": "multi", "required": True},
            "`multi` is for queries",
        ),
        ("2.0", {"in": "header", "type": "array", "items": {}, "collectionFormat": "multi"}, "`multi` is for queries"),
        (
            "2.0",
            {"in": "query", "type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "a list of lists",
        ),
        ("3.0", {"in": "query", "style": "matrix", "schema": {}}, "the style `matrix` is not for args in `query`"),
        ("3.0", {"in": "header", "style": "form", "schema": {}}, "the style `form` is not for args in `header`"),
        (
            "3.0",
            {"in": "path", "style": "deepObject", "schema": {}, "required": True},
            "the style `deepObject` is not for args in `path`",
        ),
        ("3.2", {"in": "querystring", "schema": {}}, "needs a `content`"),
        (
            "3.2",
            {"in": "querystring", "content": {"application/x-www-form-urlencoded": {"schema": {}, "encoding": {}}}},
            "has an `encoding`",
        ),
    ],
)
def test_what_has_no_meaning_is_left_out_with_its_reason(version: str, listed: dict[str, Any], reason: str) -> None:
    path = "/a/{v}" if listed["in"] == "path" else "/a"
    operation = {
        "operationId": "a",
        "parameters": [{"name": "v", **listed}],
        "responses": {"200": {"description": "ok"}},
    }
    document = json.loads(described(version, {}))
    document["paths"] = {
        path: {"get": operation},
        "/b": {"get": {"operationId": "b", "responses": {"200": {"description": "ok"}}}},
    }
    text, messages = import_text(json.dumps(document))
    assert [message[:5] for message in messages] == ["TG831"]
    assert reason in messages[0]
    assert text is not None
    assert "\n  a:" not in text
