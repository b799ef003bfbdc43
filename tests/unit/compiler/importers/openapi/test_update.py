"""Updates: a newer description is merged into an edited spec, whose manual changes are kept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.compiler.importers.openapi.api import OK, answer, import_api, openapi, parameter

SCHEMES = {"key": {"type": "apiKey", "in": "header", "name": "K"}}


def document(**changes: Any) -> dict[str, Any]:
    paths = {
        "/a": {"get": {"operationId": "get a", "summary": "Get a.", "parameters": [parameter("x")], **OK}},
        "/b": {"post": {"operationId": "b", "summary": "Make b.", "tags": ["old"], **OK}},
        "/c": {"delete": {"operationId": "c", "summary": "Delete c.", **OK}},
    }
    return openapi(
        {**paths, **changes}, servers=[{"url": "https://a.example"}], components={"securitySchemes": SCHEMES}
    )


def test_an_unchanged_description_changes_nothing() -> None:
    first = import_api(document())
    edited = first.text.replace("# Written by", "# Mine. Written by").replace("title: Delete c\n", "title: Drop it\n")
    again = import_api(document(), present=edited)
    assert again.tools["c"]["title"] == "Drop it"
    assert again.tools["c"]["source"] == {"/title": "Delete c"}
    assert again.imported is not None
    update = again.imported.update
    assert (update.added, update.changed, update.gone) == ((), ("c",), ())


def test_manual_changes_are_kept_and_values_of_the_description_are_replaced() -> None:
    edited = (
        import_api(document())
        .text.replace("  c:\n", "  # Dangerous!\n  c:\n    tags: [dangerous]\n    confirm: Really?\n")
        .replace("description: Make b.", "description: My own words.")
        .replace("https://a.example", "https://mine.example")
    )
    changed = {
        "/a": {"get": {"operationId": "get a", "summary": "Get a.", "parameters": [parameter("y", "header")], **OK}},
        "/c": {"delete": {"operationId": "c", "summary": "Delete c.", **answer({"type": "integer"})}},
        "/d": {"get": {"operationId": "d", "tags": ["new"], **OK}},
    }

    outcome = import_api(document(**changed), present=edited)

    assert outcome.messages == []
    assert outcome.imported is not None
    update = outcome.imported.update
    assert (update.added, update.changed, update.gone) == (("d",), ("b", "c", "get_a"), ())
    assert outcome.tools["c"]["confirm"] == "Really?"
    assert outcome.tools["c"]["tags"] == ["dangerous"]
    assert outcome.tools["c"]["result"] == {"type": "integer"}
    assert outcome.tools["b"]["description"] == "My own words."
    assert outcome.tools["get_a"]["http"]["params"] == {"y": "header"}
    assert list(outcome.tools["get_a"]["args"]["properties"]) == ["y"]
    assert outcome.data["api"]["base_url"] == "https://mine.example"
    assert outcome.data["tags"] == {"new": "new.", "old": "old."}


def test_removed_operations_and_changed_texts_are_reported() -> None:
    edited = import_api(document()).text.replace("description: Make b.", "description: My own words.")
    newer = document(**{"/b": {"post": {"operationId": "b", "summary": "Create b.", "tags": ["old"], **OK}}})
    del newer["paths"]["/c"]

    outcome = import_api(newer, present=edited)

    assert sorted(outcome.codes) == ["TG807", "TG808"]
    assert "`c`" in outcome.messages[outcome.codes.index("TG807")]
    assert sorted(outcome.tools) == ["b", "c", "get_a"]
    assert outcome.tools["c"]["disabled"] is True
    assert outcome.tools["b"]["description"] == "My own words."
    assert outcome.tools["b"]["source"]["/description"] == "Create b."


def guards(text: str, key: str) -> str:
    """Return a spec whose tool has what a person writes to guard it."""
    written = f"  {key}:\n    confirm: Really?\n    limits: {{daily_limit: 3}}\n    access: {{hosts: [a.example]}}"
    assert f"\n  {key}:" in text
    return text.replace(f"  {key}:", written, 1)


GUARDS = {"confirm": "Really?", "limits": {"daily_limit": 3}, "access": {"hosts": ["a.example"]}}


def test_an_operation_with_another_id_keeps_its_key_and_all_that_was_written() -> None:
    edited = guards(import_api(document()).text, "c")
    changed = {"/c": {"delete": {"operationId": "dropTheThing", "summary": "Delete c.", **OK}}}
    outcome = import_api(document(**changed), present=edited)
    assert outcome.codes == ["TG822"]
    assert "`c` is called `dropTheThing` now" in outcome.messages[0]
    assert outcome.tools["c"].items() >= {**GUARDS, "remote": "dropTheThing"}.items()
    assert sorted(outcome.tools) == ["b", "c", "get_a"]
    again = import_api(document(**changed), present=outcome.text)
    assert (again.text, again.messages) == (outcome.text, [])


def test_an_operation_at_another_path_is_found_by_its_id() -> None:
    edited = guards(import_api(document()).text, "c")
    newer = document(**{"/v2/c": {"delete": {"operationId": "c", "summary": "Delete c.", **OK}}})
    del newer["paths"]["/c"]
    outcome = import_api(newer, present=edited)
    assert outcome.codes == ["TG850"]
    assert "DELETE /v2/c, before DELETE /c" in outcome.messages[0]
    assert outcome.tools["c"].items() >= GUARDS.items()
    assert outcome.tools["c"]["http"]["path"] == "/v2/c"


@pytest.mark.parametrize(
    ("path", "method", "is_withdrawn"),
    [("/find", "delete", True), ("/purge", "post", True), ("/find", "get", False), ("/found", "get", False)],
)
def test_a_permission_was_given_to_a_request(path: str, method: str, *, is_withdrawn: bool) -> None:
    one = {"operationId": "find", "summary": "Find items.", **OK}
    first = import_api(openapi({"/find": {"post": one}})).text
    reviewed = first.replace("    http:", "    permission: readonly\n    http:", 1)
    newer = openapi({path: {method: one}})
    outcome = import_api(newer, present=reviewed)
    tool = outcome.tools["find"]
    assert tool["http"]["method"] == method.upper()
    if is_withdrawn:
        assert outcome.codes == ["TG850", "TG809"]
        assert "permission" not in tool
        assert tool["kept"] == {"/permission": "readonly"}
        assert outcome.imported is not None
        assert outcome.imported.is_incomplete
    else:  # the method says that it changes nothing
        assert outcome.messages == []
        assert tool["permission"] == "readonly"
    again = import_api(newer, present=outcome.text)
    assert (again.text, again.messages) == (outcome.text, [])


def at_server(url: str, **other: object) -> dict[str, object]:
    servers = {"servers": [{"url": url}]} if url else {}
    one = {"operationId": "a", "summary": "Get a.", **servers, **OK}
    return openapi({"/a": {"get": one}, **other}, servers=[{"url": "https://a.example/v1"}])


@pytest.mark.parametrize(
    ("before", "after", "stays"),
    [
        ("", "https://b.example", ""),
        ("https://a.example/v2", "https://b.example", "https://a.example/v2"),
        ("https://b.example", "", "https://b.example"),
        ("https://b.example", "https://b.example:444", "https://b.example"),
        ("https://b.example", "http://b.example", "https://b.example"),
    ],
)
def test_no_import_moves_a_tool_to_another_host(before: str, after: str, stays: str) -> None:
    outcome = import_api(at_server(after), present=import_api(at_server(before)).text)
    assert outcome.tools["a"]["http"].get("base_url", "") == stays
    assert outcome.codes == ["TG848"]
    assert f"the source names {after or 'https://a.example/v1'} as the server" in outcome.messages[0]
    again = import_api(at_server(after), present=outcome.text)
    assert (again.text, again.messages) == (outcome.text, outcome.messages)


def test_a_path_of_the_same_host_follows_the_description() -> None:
    outcome = import_api(at_server("https://a.example/v3"), present=import_api(at_server("")).text)
    assert outcome.messages == []
    assert outcome.tools["a"]["http"]["base_url"] == "https://a.example/v3"


def test_a_server_that_a_person_wrote_stays_without_a_word() -> None:
    present = import_api(at_server("")).text.replace("path: /a}", "path: /a, base_url: https://own.example}")
    for url in ("", ""):
        outcome = import_api(at_server(url), present=present)
        assert outcome.messages == []
        assert outcome.tools["a"]["http"]["base_url"] == "https://own.example"
        present = outcome.text


def test_a_new_operation_on_another_host_is_reported() -> None:
    new = {"operationId": "b", "summary": "Get b.", "servers": [{"url": "https://b.example"}], **OK}
    outcome = import_api(at_server("", **{"/b": {"get": new}}), present=import_api(at_server("")).text)
    assert outcome.codes == ["TG848"]
    assert "calls of `b` go to https://b.example, and not to https://a.example/v1" in outcome.messages[0]


def test_operations_that_swap_their_ids_keep_what_guards_their_requests() -> None:
    edited = guards(import_api(document()).text, "c")
    swapped = {
        "/b": {"post": {"operationId": "c", "summary": "Make b.", "tags": ["old"], **OK}},
        "/c": {"delete": {"operationId": "b", "summary": "Delete c.", **OK}},
    }
    outcome = import_api(document(**swapped), present=edited)
    assert outcome.tools["c"].items() >= {**GUARDS, "remote": "b"}.items()
    assert outcome.tools["c"]["http"]["method"] == "DELETE"
    assert "confirm" not in outcome.tools["b"]


def test_a_parameter_of_the_path_may_be_renamed() -> None:
    def one(name: str, operation: str) -> dict[str, object]:
        found = {"operationId": operation, "parameters": [parameter(name, "path", required=True)], **OK}
        return openapi({f"/x/{{{name}}}": {"delete": found}})

    edited = guards(import_api(one("id", "drop")).text, "drop")
    outcome = import_api(one("xId", "dropX"), present=edited)
    assert outcome.codes == ["TG822"]
    assert outcome.tools["drop"].items() >= GUARDS.items()
    assert list(outcome.tools["drop"]["args"]["properties"]) == ["xId"]


def test_an_operation_that_changes_its_method_is_not_readonly_any_more() -> None:
    text = import_api(document()).text
    outcome = import_api(document(**{"/a": {"delete": {"operationId": "get a", **OK}}}), present=text)
    assert "permission" not in outcome.tools["get_a"]


def test_operations_that_the_filters_leave_out_go_unless_a_person_edited_them() -> None:
    edited = guards(import_api(document()).text, "c")
    outcome = import_api(document(), present=edited, exclude=["operation:c", "operation:b"])
    assert outcome.imported is not None
    assert (outcome.imported.update.removed, outcome.imported.update.gone) == (("b",), ("c",))
    assert outcome.tools["c"]["disabled"] is True
    assert import_api(document(), present=outcome.text).tools.keys() == {"b", "c", "get_a"}


def test_a_scheme_or_a_tag_that_a_person_removed_stays_removed() -> None:
    text = import_api(document()).text
    outcome = import_api(document(), present=text.replace("tags: {old: old.}\n", "").replace("    tags: [old]\n", ""))
    assert "tags" not in outcome.data


def test_separators_that_a_person_allowed_stay() -> None:
    file = {"operationId": "file", "parameters": [parameter("path", "path"), parameter("x")], **OK}
    described = document(**{"/files/{path}": {"get": file}})
    edited = import_api(described).text.replace("path: path,", "path: {in: path, separators: keep_slash},")
    assert "keep_slash" in edited
    assert import_api(described, present=edited).tools["file"]["http"]["params"]["path"]["separators"] == "keep_slash"

    changed = {**file, "summary": "Read a file.", "parameters": [parameter("path", "path"), parameter("y")]}
    again = import_api(document(**{"/files/{path}": {"get": changed}}), present=edited)

    assert again.tools["file"]["http"]["params"] == {"path": {"in": "path", "separators": "keep_slash"}, "y": "query"}


def moved(*servers: str) -> dict[str, Any]:
    return {**document(), "servers": [{"url": server} for server in servers]}


def test_a_description_that_names_another_server_leaves_the_url_and_says_so_until_a_person_decides() -> None:
    first = import_api(document()).text
    outcome = import_api(moved("https://b.example"), present=first)
    says = "TG848 the source names https://b.example as the server, and `api.base_url` stays https://a.example"
    assert [message[: len(says)] for message in outcome.messages] == [says]
    assert outcome.data["api"]["base_url"] == "https://a.example"
    assert import_api(moved("https://b.example"), present=outcome.text).codes == ["TG848"]
    followed = import_api(moved("https://b.example"), present=outcome.text.replace("//a.example", "//b.example"))
    assert (followed.messages, followed.data["api"]["base_url"]) == ([], "https://b.example")


def test_a_url_of_a_person_is_kept_silently_while_the_description_names_the_server_that_it_had() -> None:
    mine = import_api(document()).text.replace("https://a.example", "https://mine.example")
    for _ in range(2):
        outcome = import_api(document(), present=mine)
        assert (outcome.messages, outcome.data["api"]["base_url"]) == ([], "https://mine.example")
        mine = outcome.text
    assert import_api(moved("https://b.example"), present=mine).codes == ["TG848"]
    for servers in (("https://b.example", "https://mine.example/"), ("https://{region}.example",), ("{base}",)):
        assert "TG848" not in import_api(moved(*servers), present=mine).codes, servers


def test_servers_of_any_form_are_compared_with_the_url_in_a_moment() -> None:
    text = import_api(document()).text.replace("https://a.example", f"https://{'a' * 60}.example")
    servers = ("https://b.example", f"https://{'{v}a' * 25}!", f"https://{'{v}' * 40}", "https://[x", "")
    assert "TG848" not in import_api(moved(*servers), present=text).codes  # the third one may be any URL
    assert "TG848" in import_api(moved(*(each for each in servers if "{v}{v}" not in each)), present=text).codes


def test_another_description_that_has_hardly_any_of_the_tools_is_refused() -> None:
    first = import_api(document()).text
    other = openapi({"/ping": {"post": {"operationId": "ping", **OK}}}, servers=[{"url": "https://other.example"}])
    refused = import_api(other, present=first, is_other=True)
    assert refused.imported is None
    says = "TG849 the API does not offer 3 of 3 tools of `shop.api`, and is not the source that the spec names"
    assert refused.messages == [f"{says}: nothing is written"]
    assert import_api(document(**other["paths"]), present=first, is_other=True).codes == []
    same = import_api(other, present=first)
    assert sorted(same.codes) == ["TG807", "TG807", "TG807", "TG848"]
