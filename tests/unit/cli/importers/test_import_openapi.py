"""`toolgen import openapi`: from a file, stdin and a URL; across files; limits of reading."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from tests.unit.cli.command_line import toolgen
from tests.unit.compiler.importers.openapi.api import OK, answer, openapi
from tests.unit.execute.http.conftest import server as server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.execute.http.conftest import Server

API = openapi({
    "/items": {"get": {"operationId": "list", "tags": ["items"], **OK}, "post": {"operationId": "add", **OK}},
    "/other": {"$ref": "other.yaml#/path"},
})  # fmt: skip
OTHER = "path: {get: {operationId: other, responses: {200: {description: x}}}}"


def written(folder: Path, document: Any = API, other: str = OTHER) -> Path:
    (folder / "docs").mkdir()
    (folder / "docs" / "api.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "docs" / "other.yaml").write_text(other, encoding="utf-8")
    return folder


def test_a_file_with_its_references_becomes_a_spec_that_builds(tmp_path: Path) -> None:
    done = toolgen(written(tmp_path), "import", "openapi", str(tmp_path / "docs/api.json"), "--toolset", "shop.api")
    assert (done.code, done.out) == (0, "specs/shop.api.yaml: 3 tools, 3 new\n"), done.err
    assert toolgen(tmp_path, "build").code == 0
    listed = toolgen(tmp_path, "list", "--format", "json").json
    assert [tool["tool"] for tool in listed] == ["shop.api.add", "shop.api.list", "shop.api.other"]
    again = toolgen(tmp_path, "import", "openapi", str(tmp_path / "docs/api.json"), "--toolset", "shop.api")
    assert again.out == "specs/shop.api.yaml: 3 tools, up to date\n"


def test_the_source_and_the_filters_are_kept_for_the_next_import(tmp_path: Path) -> None:
    folder = written(tmp_path)
    first = ("import", "openapi", str(folder / "docs/api.json"), "--toolset", "shop.api", "--exclude", "tag:items")
    assert toolgen(folder, *first).out == "specs/shop.api.yaml: 2 tools, 2 new\n"
    spec = folder / "specs" / "shop.api.yaml"
    text = spec.read_text(encoding="utf-8")
    assert 'import: {openapi: docs/api.json, exclude: ["tag:items"]}' in text
    assert (
        toolgen(folder, "import", "openapi", "--toolset", "shop.api").out
        == "specs/shop.api.yaml: 2 tools, up to date\n"
    )
    assert spec.read_text(encoding="utf-8") == text
    assert toolgen(folder, "fmt", "--check").code == 0
    missing = toolgen(folder, "import", "openapi", "--toolset", "other.api")
    assert (missing.code, "give FILE or URL" in missing.err) == (2, True)


def test_a_check_compares_without_writing(tmp_path: Path) -> None:
    folder = written(tmp_path)
    toolgen(folder, "import", "openapi", str(folder / "docs/api.json"), "--toolset", "shop.api")
    spec = folder / "specs" / "shop.api.yaml"
    text = spec.read_text(encoding="utf-8").replace("  add:\n", "  add:\n    confirm: Really?\n")
    spec.write_text(text, encoding="utf-8")
    same = toolgen(folder, "import", "openapi", "--check")
    assert (same.code, same.out) == (0, "shop.api: 3 tools, unchanged\n"), same.err
    query = {"parameters": [{"name": "tenant", "in": "query", "required": True, "schema": {"type": "string"}}]}
    items = {"get": {"operationId": "find", "tags": ["items"], **query, **OK}}
    changed = {**API, "paths": {**API["paths"], "/items": items}}
    (folder / "docs" / "api.json").write_text(json.dumps(changed), encoding="utf-8")
    done = toolgen(folder, "import", "openapi", "--check")
    assert done.code == 1
    assert "shop.api.list: " in done.out
    assert "tenant" in done.out
    assert "`list` is called `find` now" in done.err
    assert "so `add` is disabled" in done.err
    found = toolgen(folder, "import", "openapi", "--check", "--toolset", "shop.api", "--format", "json").json
    [checked] = found["toolsets"]
    assert {change["tool"] for change in checked["changes"]} >= {"shop.api.add", "shop.api.list"}
    assert checked["changes"][0].keys() == {"tool", "code", "level", "summary", "diff"}
    assert spec.read_text(encoding="utf-8") == text


def test_another_description_disables_no_toolset(tmp_path: Path) -> None:
    folder = written(tmp_path, {**API, "servers": [{"url": "https://shop.example"}]})
    assert toolgen(folder, "import", "openapi", "docs/api.json", "--toolset", "shop.api").code == 0
    spec = folder / "specs" / "shop.api.yaml"
    text = spec.read_text()
    ping = {"/ping": {"post": {"operationId": "ping", **OK}}}
    (folder / "docs" / "ping.json").write_text(json.dumps(openapi(ping, servers=[{"url": "https://other.example"}])))
    refused = toolgen(folder, "import", "openapi", "docs/ping.json", "--toolset", "shop.api")
    assert (refused.code, refused.out, spec.read_text()) == (1, "", text)
    assert "error[TG849]: the API does not offer 3 of 3 tools of `shop.api`" in refused.err
    assert "import it into another toolset, with --toolset" in refused.err
    checked = toolgen(folder, "import", "openapi", "docs/ping.json", "--toolset", "shop.api", "--check")
    assert (checked.code, "shop.api is not compared with another source." in checked.err) == (2, True)
    own = toolgen(folder, "import", "openapi", "docs/ping.json", "--toolset", "ping.api")
    assert own.out == "specs/ping.api.yaml: 1 tool, 1 new\n"

    spec.write_text(text.replace("openapi: docs/api.json", "openapi: docs/ping.json"))  # a person says it has moved
    moved = toolgen(folder, "import", "openapi", "--toolset", "shop.api")
    assert (moved.code, moved.out) == (1, "specs/shop.api.yaml: 4 tools, 1 new, 3 disabled\n")
    assert "warning[TG848]: the source names https://other.example as the server" in moved.err
    assert "TG848" in toolgen(folder, "import", "openapi", "--check").err


def test_an_import_that_only_sets_the_url_says_what_has_changed(tmp_path: Path) -> None:
    folder = written(tmp_path, {**API, "servers": [{"url": "https://{region}.example"}]})
    command = ("import", "openapi", "docs/api.json", "--toolset", "shop.api")
    first = toolgen(folder, *command)
    assert "TG834" in first.err
    (folder / "docs" / "api.json").write_text(json.dumps({**API, "servers": [{"url": "https://eu.example"}]}))
    assert toolgen(folder, *command).out == "specs/shop.api.yaml: 3 tools, `api` changed\n"
    assert toolgen(folder, *command).out == "specs/shop.api.yaml: 3 tools, up to date\n"


def test_the_variables_of_the_credentials_are_named(tmp_path: Path) -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "K"}}
    described = openapi(API["paths"], components={"securitySchemes": schemes}, security=[{"key": []}])
    done = toolgen(
        written(tmp_path, described), "import", "openapi", str(tmp_path / "docs/api.json"), "--toolset", "s.api"
    )
    assert "to run the tools, set these environment variables:\n  S_API_KEY_KEY: value of key\n" in done.out


def test_credentials_that_no_imported_operation_needs_are_not_asked_for(tmp_path: Path) -> None:
    schemes = {name: {"type": "http", "scheme": "basic"} for name in ("never", "of_all", "of_one", "of_excluded")}
    paths = {
        "/all": {"get": {"operationId": "all", **OK}},
        "/one": {"get": {"operationId": "one", "security": [{"of_one": []}], **OK}},
        "/free": {"get": {"operationId": "free", "security": [], **OK}},
        "/out": {"get": {"operationId": "out", "security": [{"of_excluded": []}], **OK}},
    }
    described = openapi(paths, components={"securitySchemes": schemes}, security=[{"of_all": []}])
    folder = written(tmp_path, described)
    command = ("import", "openapi", "docs/api.json", "--toolset", "s.api", "--exclude")
    done = toolgen(folder, *command, "operation:out")
    named = [line.split(":")[0] for line in done.out.splitlines() if line.startswith("  S_API_")]
    assert named == [f"  S_API_OF_{each}_{part}" for each in ("ALL", "ONE") for part in ("USERNAME", "PASSWORD")]
    assert toolgen(folder, "build").code == 0

    spec = folder / "specs/s.api.yaml"  # a person has the tool `free` sign in as `one` does
    free = spec.read_text().partition("  free:")
    spec.write_text(free[0] + free[1] + free[2].replace("security: []", "security: [[of_one]]", 1))
    toolgen(folder, *command, "operation:out", "--exclude", "operation:one")
    assert "of_one: {type: basic" in spec.read_text()
    assert toolgen(folder, "build").code == 0

    spec.unlink()
    public = toolgen(folder, *command, "path:/all", "--exclude", "path:/o*")
    assert public.out == "specs/s.api.yaml: 1 tool, 1 new\n"
    assert toolgen(folder, "build").code == 0


def test_a_source_that_cannot_be_read_keeps_no_other_from_being_checked(tmp_path: Path) -> None:
    folder = written(tmp_path)
    for toolset in ("a.api", "b.api", "c.api"):
        (folder / "docs" / f"{toolset}.json").write_text(json.dumps(API))
        toolgen(folder, "import", "openapi", f"docs/{toolset}.json", "--toolset", toolset)
    (folder / "docs/a.api.json").unlink()
    (folder / "docs/b.api.json").write_text(json.dumps(openapi({})))
    done = toolgen(folder, "import", "openapi", "--check")
    assert (done.code, done.out) == (2, "c.api: 3 tools, unchanged\n")
    assert "a.api: docs/a.api.json cannot be read: No such file" in done.err.replace(f"{folder}/", "")
    assert "b.api: The source of b.api offers no tool." in done.err
    found = toolgen(folder, "import", "openapi", "--check", "--format", "json")
    assert found.code == 2
    assert [each.keys() >= {"error"} for each in found.json["toolsets"]] == [True, True, False]


def test_operations_are_selected_and_the_outcome_is_json(tmp_path: Path) -> None:
    arguments = ("--toolset", "shop.api", "--include", "path:/items", "--exclude", "tag:items", "--format", "json")
    done = toolgen(written(tmp_path), "import", "openapi", str(tmp_path / "docs/api.json"), *arguments)
    assert done.json["added"] == ["add"]
    assert done.json["file"] == "specs/shop.api.yaml"
    wrong = toolgen(
        tmp_path, "import", "openapi", str(tmp_path / "docs/api.json"), "--toolset", "s.a", "--include", "items"
    )
    assert (wrong.code, "write `tag:…`" in wrong.err) == (2, True)


def test_a_broken_operation_is_reported_and_the_others_are_written(tmp_path: Path) -> None:
    broken = openapi({**API["paths"], "/broken": {"get": {"parameters": [{"name": "x", "in": "query"}], **OK}}})
    folder = written(tmp_path, broken)
    done = toolgen(folder, "import", "openapi", str(folder / "docs/api.json"), "--toolset", "shop.api")
    assert (done.code, done.out) == (1, "specs/shop.api.yaml: 3 tools, 3 new\n")
    assert "error[TG831]" in done.err + done.out
    assert "the parameter `x` has no schema" in done.err
    assert "1 omitted" in done.err


@pytest.mark.parametrize("name", ["../../secret.yaml", "/etc/passwd", "https://elsewhere.example/x.yaml"])
def test_a_description_reads_no_file_outside_its_folder(tmp_path: Path, name: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.yaml").write_text(OTHER, encoding="utf-8")
    document = openapi({"/items": API["paths"]["/items"], "/x": {"$ref": f"{name}#/path"}})
    done = toolgen(written(project, document), "import", "openapi", str(project / "docs/api.json"), "--toolset", "s.a")
    assert done.code == 1
    assert f"`{name}` cannot be read" in done.err


@pytest.mark.parametrize(
    "name", ["../.env", ".secret.yaml", "../.git/config", "../.hidden/x.yaml", "linked.yaml", "in/../../.env"]
)
def test_a_description_reads_no_hidden_file(tmp_path: Path, name: str) -> None:
    document = openapi({"/items": API["paths"]["/items"], "/x": {"$ref": f"{name}#/path"}})
    folder = written(tmp_path, document)
    for path in (".env", "docs/.secret.yaml", ".git/config", ".hidden/x.yaml"):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(OTHER, encoding="utf-8")
    (folder / "docs/in").mkdir()
    (folder / "docs/linked.yaml").symlink_to("../.env")
    done = toolgen(folder, "import", "openapi", str(folder / "docs/api.json"), "--toolset", "s.a")
    assert done.code == 1
    assert f"`{name}` cannot be read: it is a hidden file" in done.err


def test_a_description_in_a_hidden_folder_that_a_person_named_has_its_files(tmp_path: Path) -> None:
    folder = written(tmp_path)
    (folder / "docs").rename(folder / ".well-known")
    done = toolgen(folder, "import", "openapi", str(folder / ".well-known/api.json"), "--toolset", "s.a")
    assert done.code == 0, done.err


def test_a_reference_that_redirects_to_another_host_is_not_followed(tmp_path: Path, server: Server) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    assert elsewhere != server.url
    server.answers = [JSONResponse(API), RedirectResponse(f"{elsewhere}/v2/other.yaml"), PlainTextResponse(OTHER)]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (done.code, "it is on another host" in done.err) == (1, True), done.err
    assert [each.path for each in server.requests] == ["/api.json", "/other.yaml"]


def test_a_url_is_fetched_with_the_files_of_its_host(tmp_path: Path, server: Server) -> None:
    server.answers = [RedirectResponse("/v2/api.json"), JSONResponse(API), PlainTextResponse(OTHER)]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert done.code == 0, done.err
    assert [each.path for each in server.requests] == ["/api.json", "/v2/api.json", "/v2/other.yaml"]
    spec = (tmp_path / "specs/shop.api.yaml").read_text(encoding="utf-8")
    assert f'base_url: "{server.url}"' in spec


def test_a_description_that_redirects_to_another_host_is_told_before_calls_go_there(
    tmp_path: Path, server: Server
) -> None:
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    server.answers = [RedirectResponse(f"{elsewhere}/v2/api.json"), JSONResponse(API), PlainTextResponse(OTHER)]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (done.code, f"{server.url}/api.json redirects to {elsewhere}/v2/api.json" in done.err) == (0, True), done.err
    assert "warning[TG848]" in done.err
    assert f'base_url: "{elsewhere}"' in (tmp_path / "specs/shop.api.yaml").read_text(encoding="utf-8")
    server.answers = [RedirectResponse(f"{server.url}/v2/api.json"), JSONResponse(API), PlainTextResponse(OTHER)]
    again = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (again.code, again.err) == (0, "")


CUT = {
    "api.json": json.dumps(openapi({
        "/items": {"get": {"$ref": "paths/list%20items.yml"}},
        "/items/{id}": {"delete": {"$ref": "paths/drop.yml"}},
    }, components={"parameters": {"Id": {"$ref": "./parameters.yml#/Id"}}})),
    "parameters.yml": "Id: {name: id, in: path, required: true, schema: {type: string}}\n",
    "paths/list items.yml": "operationId: list\nparameters: [{name: limit, in: query, schema: {type: integer}}]\n",
    "paths/drop.yml": "operationId: drop\nparameters: [{$ref: '../api.json#/components/parameters/Id'}]\n",
}  # fmt: skip
"""A description whose operations are references to files, which refer back to it."""


def test_operations_that_are_files_are_imported_with_their_args(tmp_path: Path) -> None:
    for name, text in CUT.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    done = toolgen(tmp_path, "import", "openapi", str(tmp_path / "docs/api.json"), "--toolset", "shop.api")
    assert (done.code, done.out) == (0, "specs/shop.api.yaml: 2 tools, 2 new\n"), done.err
    spec = (tmp_path / "specs/shop.api.yaml").read_text(encoding="utf-8")
    assert "params: {limit: query}" in spec
    assert "params: {id: path}" in spec


def test_each_file_of_a_url_is_fetched_once(tmp_path: Path, server: Server) -> None:
    order = ["api.json", "paths/list items.yml", "paths/drop.yml", "parameters.yml"]
    server.answers = [PlainTextResponse(CUT[name]) for name in order]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (done.code, done.out) == (0, "specs/shop.api.yaml: 2 tools, 2 new\n"), done.err
    assert [each.path for each in server.requests] == [f"/{name.replace(' ', '%20')}" for name in order]


def test_a_url_without_a_description_is_an_error(tmp_path: Path, server: Server) -> None:
    server.answers = [PlainTextResponse("no", 404)]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (done.code, "the server answers 404" in done.err) == (2, True)
    server.answers = [
        JSONResponse(
            openapi({"/x": {"$ref": "http://127.0.0.1:1/x.yaml"}, "/y": {"get": {**answer({}), "operationId": "y"}}})
        )
    ]
    done = toolgen(tmp_path, "import", "openapi", f"{server.url}/api.json", "--toolset", "shop.api")
    assert (done.code, "it is on another host" in done.err) == (1, True)


def test_stdin_is_read(tmp_path: Path) -> None:
    text = json.dumps(openapi({"/items": API["paths"]["/items"]}))
    done = toolgen(tmp_path, "import", "openapi", "-", "--toolset", "shop.api", stdin=text)
    assert done.out == "specs/shop.api.yaml: 2 tools, 2 new\n"


def test_an_empty_description_is_no_spec(tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    done = toolgen(tmp_path, "import", "openapi", "empty.yaml", "--toolset", "shop.api")
    assert "error[TG003]: the file is empty" in done.err
    assert "toolgen: 1" not in done.err
