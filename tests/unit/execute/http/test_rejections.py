"""Rejected requests: a model learns which args are wrong, from FastAPI and others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import pytest
from fastapi import Body, FastAPI
from pydantic import AfterValidator, BaseModel
from starlette.responses import JSONResponse

from tests.unit.execute.http.api import Recorder, error_of, import_text, invoke, package_of
from toolgen.compiler.diagnostics import Diagnostics
from toolgen.compiler.source.nodes import Source
from toolgen.compiler.source.yaml_text import parse_yaml

if TYPE_CHECKING:
    from pathlib import Path


def even(value: int) -> int:
    if value % 2:
        raise ValueError("it is odd")
    return value


class Item(BaseModel):
    """What is sold. Its rule is none that a schema has, so only the app can tell."""

    count: Annotated[int, AfterValidator(even)]


def app() -> FastAPI:
    made = FastAPI()

    @made.post("/items/{count}", operation_id="add")
    def add(count: Annotated[int, AfterValidator(even)], item: Annotated[Item, Body()]) -> int:
        return count + item.count

    return made


def test_the_422_of_fastapi_tells_which_args_are_wrong_and_why(tmp_path: Path) -> None:
    text, messages = import_text(json.dumps(app().openapi()))
    assert messages == []
    assert text is not None
    root = parse_yaml(Source("api.yaml", text), Diagnostics())
    assert root is not None
    spec = root.to_data()["tools"]["add"]
    assert spec["retry_hints"] is True
    assert "errors" not in spec["http"]  # `Validation Error` says nothing
    catalog = package_of(tmp_path, "compiled_rejections", text)

    error = error_of(invoke(catalog, "add", {"count": 1, "count_body": 3}, app=app()))

    assert error.message.partition(": ")[2] == "count: Value error, it is odd; count: Value error, it is odd"
    assert (error.kind, error.code) == ("invalid_call", "http_422")
    assert [each.hint for each in error.issues] == ["Value error, it is odd"] * 2
    assert invoke(catalog, "add", {"count": 2, "count_body": 4}, app=app()).error is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"detail": [{"loc": ["body", "a", 0], "msg": "Too long"}]}, "a.0: Too long"),
        ({"title": "Invalid.", "errors": [{"pointer": "/a/b", "detail": "Too long"}]}, "Invalid.: a.b: Too long"),
        ({"errors": {"a": ["Too long", "Too odd"]}}, "a: Too long; a: Too odd"),
        ({"detail": "No such item"}, "No such item"),
        ({"message": "Wrong", "errors": []}, "Wrong"),
    ],
)
def test_the_message_of_a_rejection_has_the_reasons(tmp_path: Path, body: Any, said: str) -> None:
    paths = {"/a": {"get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}
    text, _ = import_text(json.dumps({"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths}))
    assert text is not None
    catalog = package_of(tmp_path, f"compiled_said_{len(said)}", text)
    recorder = Recorder(answers=[JSONResponse(body, 422), JSONResponse(body, 500)])
    assert error_of(invoke(catalog, "a", app=recorder, base_url="http://a")).message.partition(": ")[2] == said
