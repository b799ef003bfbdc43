"""The server, over the protocol, with a client library: what an editor shows while a person writes specs."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.unit.authoring.language_client import CURSOR, Client, language_client
from tests.unit.authoring.language_server.project import FILES
from tests.unit.cli.forked_python import forked_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tests.unit.authoring.language_server.conftest import Serve

pytestmark = pytest.mark.xdist_group("language server")  # whose tests share one server

ORDERS, AGENT, POLICY, CATALOG, SHARED, CASES = (
    "specs/shop/orders.yaml",
    "specs/agent.yaml",
    "specs/policy.yaml",
    "specs/catalog.yaml",
    "specs/shared.yaml",
    "evals/shop.eval.yaml",
)


def marked(path: str, text: str, after: int = 0) -> str:
    """Return a file with the cursor inside the first occurrence of a text, or at the end of one of several."""
    at = -1
    for _ in range(after + 1):
        at = FILES[path].index(text, at + 1)
    return FILES[path][: at + 1] + CURSOR + FILES[path][at + 1 :]


def spans(found: Sequence[types.Location], folder: Path) -> list[str]:
    """Return places as `path:line: text`."""
    shown = []
    for each in found:
        path = next(path for path in folder.rglob("*") if path.as_uri() == each.uri)
        line = path.read_text(encoding="utf-8").split("\n")[each.range.start.line]
        text = line[each.range.start.character : each.range.end.character]
        shown.append(f"{path.relative_to(folder).as_posix()}:{each.range.start.line + 1}: {text}")
    return shown


async def whole_check(client: Client) -> Mapping[str, Sequence[types.Diagnostic]]:
    """Wait until the server has checked the whole project, which begins with its configuration.

    Return what it found, without findings of lint.
    """
    found = await client.all_diagnostics("toolgen.toml", ORDERS, AGENT, POLICY, CATALOG, SHARED, CASES)
    return {path: [each for each in some if not str(each.code).startswith("TL")] for path, some in found.items()}


def test_problems_are_published_while_a_person_writes_and_gone_when_they_are_solved(serve: Serve) -> None:
    async def look(client: Client) -> None:
        assert await client.diagnostics(ORDERS, FILES[ORDERS]) == []
        broken = FILES[ORDERS].replace("bind: Refund", "bind: Refnd").replace("result: [Order]", "result: [Oder]")
        found = await client.diagnostics(ORDERS, broken)
        assert [(each.code, each.range.start.line) for each in found] == [("TG403", 13), ("TG201", 21)]
        assert found[1].message == "there is no type `Oder` in specs/shop/orders.yaml\ndid you mean `Order`?"
        assert found[1].severity is types.DiagnosticSeverity.Error
        unparsable = await client.diagnostics(ORDERS, FILES[ORDERS] + "  x: [\n")
        assert [each.code for each in unparsable] == ["TG003"]
        assert await client.diagnostics(ORDERS, FILES[ORDERS]) == []

    serve(look)


def test_the_whole_project_is_checked_after_a_pause(serve: Serve) -> None:
    async def look(client: Client) -> None:
        client.show(AGENT, FILES[AGENT])
        client.show(ORDERS, FILES[ORDERS])
        await whole_check(client)
        client.show(ORDERS, FILES[ORDERS].replace("  refund:\n", "  repay:\n"))
        found = await whole_check(client)
        assert {path: [each.code for each in some] for path, some in found.items() if some} == {
            POLICY: ["TG511"] * 2,
            CATALOG: ["TG501"],
        }  # evaluations are checked against the last tools without errors
        client.show(ORDERS, FILES[ORDERS])
        assert not any((await whole_check(client)).values())

    serve(look)


def test_findings_of_lint_are_published(serve: Serve) -> None:
    async def look(client: Client) -> None:
        client.show(ORDERS, FILES[ORDERS])
        found = (await client.all_diagnostics("toolgen.toml", ORDERS))[ORDERS]
        assert ("TL103", 10, types.DiagnosticSeverity.Warning) in [
            (each.code, each.range.start.line, each.severity) for each in found
        ]

    serve(look)


def test_an_error_in_the_configuration_is_shown_there(serve: Serve, project: Path) -> None:
    async def look(client: Client) -> None:
        before = (project / "toolgen.toml").read_text(encoding="utf-8")
        (project / "toolgen.toml").write_text('[[targets]]\nspec = "specs"\n', encoding="utf-8")
        try:
            found = await client.saved("toolgen.toml")
            assert [(each.code, each.range.start.line) for each in found] == [("TG704", 1)]
        finally:
            (project / "toolgen.toml").write_text(before, encoding="utf-8")
        assert await client.saved("toolgen.toml") == []

    serve(look)


COMPLETIONS = [
    (SHARED, "toolgen: 1\n|", {"types", "tags", "toolset", "agent"}),
    (SHARED, "toolgen: 1\ntypes:\n  A: {$ref: \"|\"}\n", {"#/types/A", "shop/orders.yaml#/types/Order"}),
    (ORDERS, FILES[ORDERS].replace("../shared.yaml#/types/Address", "|"), {"../shared.yaml#/types/Address"}),
    (ORDERS, FILES[ORDERS].replace("bind: Refund", "bind: |"), {"Refund"}),
    (ORDERS, FILES[ORDERS].replace("bind: Refund", "bind: Re|"), {"Refund"}),
    (ORDERS, FILES[ORDERS].replace("[Order]", "[Or|]"), {"Order", "Address", "string"}),
    (ORDERS, FILES[ORDERS].replace("permission: write", "per|"), {"permission", "title"}),
    (ORDERS, FILES[ORDERS].replace("permission: write", "permission: |"), {"readonly", "write"}),
    (ORDERS, FILES[ORDERS].replace("permission: write", "access:\n      write: |"), {"order_id"}),
    (ORDERS, FILES[ORDERS].replace("tags: [billing]", "tags: [|]"), {"billing", "dangerous"}),
    (ORDERS, FILES[ORDERS].replace("{order_id: string}\n    r", "{order_id: {|}}\n    r"), {"type", "enum", "$ref"}),
    (ORDERS, FILES[ORDERS].replace("customer: string", "customer: {type: string, |}"), {"minLength", "format"}),
    (ORDERS, FILES[ORDERS].replace("customer: string", "customer:\n        type: string\n        |"), {"minLength"}),
    (AGENT, FILES[AGENT] + "  - |", {"shop.orders", "shop.orders.refund"}),
    (AGENT, FILES[AGENT] + "  - shop.orders.|", {"shop.orders.refund", "shop.orders.find"}),
    (AGENT, FILES[AGENT] + "  - shop.orders+|", {"shop.orders+billing", "shop.orders+dangerous"}),
    (AGENT, FILES[AGENT] + "|", {"on_request", "system"}),
    ("specs/policy.yaml", FILES[POLICY] + "  shop.|", {"shop.orders.refund", "shop.orders"}),
    ("specs/policy.yaml", FILES[POLICY].replace("refund: ask", "refund: |"), {"deny", "exclude"}),
    ("specs/policy.yaml", FILES[POLICY].replace("rules:", "rules:\n  shop.|"), {"shop.orders.refund", "shop.orders"}),
    (CATALOG, FILES[CATALOG].replace("target: find", "target: |"), {"refund", "find", "shop.orders.find"}),
    (CATALOG, FILES[CATALOG].replace("from: shop.orders", "from: |"), {"shop.orders"}),
]  # fmt: skip


def test_names_keys_and_values_are_completed(serve: Serve) -> None:
    async def look(client: Client) -> None:
        for path, text, wanted in COMPLETIONS:
            items = await client.completions(path, text)
            assert wanted - {item.label for item in items} == set(), text
            client.show(path, FILES[path])

    serve(look)


def test_a_completion_replaces_the_word_that_was_begun(serve: Serve) -> None:
    async def look(client: Client) -> None:
        text = FILES[AGENT] + "  - shop.or|"
        items = {item.label: item for item in await client.completions(AGENT, text)}
        edit = items["shop.orders.refund"].text_edit
        assert isinstance(edit, types.TextEdit)
        assert (edit.new_text, edit.range.start.character, edit.range.end.character) == ("shop.orders.refund", 4, 11)
        key = {item.label: item for item in await client.completions(AGENT, "toolgen: 1\nagent: a\nro|")}[
            "role"
        ].text_edit
        assert isinstance(key, types.TextEdit)
        assert key.new_text == "role: "

    serve(look)


HOVERS = [
    (AGENT, "shop.orders.find", ["**tool `shop.orders.find`**", "Find orders.", "customer: string", "[Order]"]),
    (AGENT, "billing", ["**tag `billing`**", "About invoices."]),
    (ORDERS, "Address: {", ["**type `Address`**"]),
    (ORDERS, "Order}", ["**type `Order`**", "total: number"]),
    (ORDERS, "Address\"}", ["**type `Address`**", "street: string"]),
    (ORDERS, "Refund\n", ["**method `Refund`**", "order_id: string"]),
    (ORDERS, "permission", ["**`permission`**", "Whether a call may change anything."]),
    (CATALOG, "find,", ["**tool `shop.orders.find`**"]),
    (CATALOG, "shop.orders", ["**toolset `shop.orders`**", "Orders of a shop."]),
]  # fmt: skip


def test_hover_explains_names_and_keys(serve: Serve) -> None:
    async def look(client: Client) -> None:
        for path, text, parts in HOVERS:
            shown = await client.hover(path, marked(path, text))
            assert [part for part in parts if part not in shown] == [], (text, shown)
        assert await client.hover(ORDERS, marked(ORDERS, "customer")) == ""

    serve(look)


def test_positions_are_those_of_the_editor(serve: Serve) -> None:
    """Editors count in units of UTF-16, in which a character such as the one below takes two."""

    async def look(client: Client) -> None:
        text = 'toolgen: 1\r\nagent: a\r\ndescription: 🦊\r\nuse: ["🦊", shop.orders]\r\n'
        client.show(AGENT, text)
        (found,) = (await whole_check(client))[AGENT]
        assert (found.code, found.range.start.character, found.range.end.character) == ("TG503", 6, 10)

    serve(look)


DEFINITIONS = [
    (AGENT, "shop.orders.find", ["specs/shop/orders.yaml:17: find"]),
    (AGENT, "billing", ["specs/shared.yaml:7: billing"]),
    (POLICY, "shop.orders.refund", ["specs/shop/orders.yaml:10: refund"]),
    (CATALOG, "find,", ["specs/shop/orders.yaml:17: find"]),
    (ORDERS, "Address\"}", ["specs/shared.yaml:3: Address"]),
    (ORDERS, "Order]", ["specs/shop/orders.yaml:5: Order"]),
    (ORDERS, "Refund\n", ["specs/shop/orders.yaml:8: Refund"]),
    (ORDERS, "refund:", ["generated/shop/tools/orders/__init__.py:43: REFUND"]),
    ("app.py", "REFUND", ["specs/shop/orders.yaml:10: refund"]),
    ("app.py", "FindArgs", ["specs/shop/orders.yaml:17: find"]),
    ("app.py", "shop.orders.find", ["specs/shop/orders.yaml:17: find"]),
]  # fmt: skip


def test_definitions_are_found_from_specs_and_from_python_and_back(serve: Serve, project: Path) -> None:
    async def look(client: Client) -> None:
        client.show(ORDERS, FILES[ORDERS])
        await whole_check(client)
        for path, text, places in DEFINITIONS:
            found = await client.definitions(path, marked(path, text))
            assert spans(found, project) == places, text

    serve(look)


def test_a_generated_ident_leads_to_its_line_in_the_spec(serve: Serve, project: Path) -> None:
    async def look(client: Client) -> None:
        client.show(ORDERS, FILES[ORDERS])
        await whole_check(client)
        path = "generated/shop/tools/orders/__init__.py"
        text = (project / path).read_text(encoding="utf-8")
        found = await client.definitions(path, text.replace("\nREFUND", "\nREF|UND", 1))
        assert spans(found, project) == ["specs/shop/orders.yaml:10: refund"]

    serve(look)


def test_a_file_that_is_none_holds_up_no_request(serve: Serve, project: Path) -> None:
    """A pipe has no writer, a device no end: generated code, a module and a configuration are read for an editor."""
    generated = project / "generated/shop/tools/orders/__init__.py"
    others = [project / "other.py", project / "app/pyproject.toml"]
    text = generated.read_bytes()

    async def look(client: Client) -> None:
        client.show(ORDERS, FILES[ORDERS])
        await whole_check(client)
        for make in kinds:
            for path in (generated, *others):
                path.parent.mkdir(exist_ok=True)
                path.unlink(missing_ok=True)
                make(path)
            await ask(client)

    async def ask(client: Client) -> None:
        assert await client.definitions(ORDERS, marked(ORDERS, "refund:")) == []
        for uri in (others[0].as_uri(), (project / "app/main.py").as_uri()):
            at = types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(0, 0))
            assert await client.client.text_document_definition_async(at) is None

    kinds: list[Callable[[Path], object]] = [
        os.mkfifo,
        lambda path: path.symlink_to("/dev/zero"),
        _make_huge,
        lambda path: path.symlink_to("/etc/passwd"),
    ]
    try:
        serve(look)
    finally:
        for path in (generated, *others):
            path.unlink(missing_ok=True)
        generated.write_bytes(text)
        others[1].parent.rmdir()


def _make_huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


def test_references_are_all_uses(serve: Serve, project: Path) -> None:
    async def look(client: Client) -> None:
        client.show(ORDERS, FILES[ORDERS])
        await whole_check(client)
        at = client.show(AGENT, marked(AGENT, "shop.orders.find"))
        found = await client.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(include_declaration=True), at.text_document, at.position)
        )
        assert spans(found or (), project) == [
            "specs/shop/orders.yaml:17: find",
            "specs/agent.yaml:4: shop.orders.find",
            "specs/catalog.yaml:9: find",
            "evals/shop.eval.yaml:7: shop.orders.find",
            "generated/shop/tools/orders/__init__.py:42: FIND",
        ]

    serve(look)


RENAMES = [
    (ORDERS, "Order:", "Purchase", {ORDERS: ["Purchase"] * 4}),
    (SHARED, "Address", "Place", {SHARED: ["Place"], ORDERS: ["Place"]}),
    (ORDERS, "Refund\n", "Repay", {ORDERS: ["Repay", "Repay"]}),
    (
        ORDERS,
        "refund:",
        "repay",
        {ORDERS: ["repay"], POLICY: ["shop.orders.repay"] * 2, CATALOG: ["repay"], CASES: ["shop.orders.repay"]},
    ),
    (SHARED, "billing", "invoices", {path: ["invoices"] for path in (SHARED, ORDERS, AGENT, POLICY)}),
    (
        ORDERS,
        "shop.orders",
        "shop.sales",
        {
            ORDERS: ["shop.sales"],
            AGENT: ["shop.sales", "shop.sales.find"],
            POLICY: ["shop.sales.refund"] * 2,
            CATALOG: ["shop.sales"],
            CASES: ["shop.sales.find", "shop.sales.refund"],
        },
    ),
]  # fmt: skip


def test_a_rename_changes_every_spec_and_the_project_still_compiles(serve: Serve, project: Path) -> None:
    async def look(client: Client) -> None:
        for path, text, name, edits in RENAMES:
            at = client.show(path, marked(path, text))
            params = types.RenameParams(at.text_document, at.position, name)
            found = await client.client.text_document_rename_async(params)
            assert found is not None
            assert found.changes is not None
            changed = {uri.partition("my%20project/")[2]: each for uri, each in found.changes.items()}
            new = {uri: sorted(edit.new_text for edit in each) for uri, each in changed.items()}
            assert new == edits, (path, text)
            for uri, each in changed.items():
                client.show(uri, applied(FILES[uri], each))
            assert {uri: each for uri, each in (await whole_check(client)).items() if each} == {}, (path, text)
            for uri in changed:
                client.show(uri, FILES[uri])

    serve(look)


REFUSED = [
    (ORDERS, "Order:", "order", "starting with a capital letter"),
    (ORDERS, "Order:", "Address", "there is a type `Address` already"),
    (ORDERS, "refund:", "find", "there is a tool `find` already"),
    (ORDERS, "refund:", "a b", "use letters"),
]


def test_a_refused_name_is_no_failure_of_the_server(project: Path) -> None:
    """Editors show what a server writes to stderr."""

    async def look() -> None:
        stderr = project / "stderr"
        command = (forked_python(), "-m", "toolgen", "lsp")
        opened = "os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT), 2)"
        script = f"import os, sys; {opened}; os.execv(sys.argv[2], sys.argv[2:])"
        async with language_client(project, sys.executable, "-c", script, str(stderr), *command) as client:
            for path, text, name, message in REFUSED:
                at = client.show(path, marked(path, text))
                params = types.RenameParams(at.text_document, at.position, name)
                with pytest.raises(JsonRpcException, match=message):
                    await client.client.text_document_rename_async(params)
        assert "Traceback" not in stderr.read_text(encoding="utf-8")

    asyncio.run(look())


def test_a_name_that_is_not_allowed_is_refused(serve: Serve) -> None:
    async def look(client: Client) -> None:
        for path, text, name, message in REFUSED:
            at = client.show(path, marked(path, text))
            params = types.RenameParams(at.text_document, at.position, name)
            with pytest.raises(JsonRpcException, match=message):
                await client.client.text_document_rename_async(params)

    serve(look)


def test_a_file_is_formatted(serve: Serve) -> None:
    async def look(client: Client) -> None:
        at = client.show(AGENT, "agent: clerk  # first\ntoolgen: 1\nuse: ['shop.orders']\n")
        options = types.FormattingOptions(tab_size=2, insert_spaces=True)
        params = types.DocumentFormattingParams(at.text_document, options)
        (edit,) = list(await client.client.text_document_formatting_async(params) or ())
        assert edit.new_text == "toolgen: 1\nagent: clerk  # first\nuse: [shop.orders]\n"
        client.show(AGENT, edit.new_text)
        assert not await client.client.text_document_formatting_async(params)
        client.show(AGENT, "agent: [")
        assert await client.client.text_document_formatting_async(params) is None

    serve(look)


def test_edits_are_of_the_versions_of_texts_that_the_editor_has(project: Path) -> None:
    async def look() -> types.WorkspaceEdit | None:
        words = (forked_python(), "-m", "toolgen", "lsp")
        async with language_client(project, *words, compares_versions=True) as client:
            path, text, name, _ = RENAMES[0]
            for _ in range(2):
                client.show(path, FILES[path])
            at = client.show(path, marked(path, text))
            params = types.RenameParams(at.text_document, at.position, name)
            return await client.client.text_document_rename_async(params)

    found = asyncio.run(look())
    assert found is not None
    assert found.changes is None
    versions: dict[str, int | None] = {}
    for each in found.document_changes or ():
        assert isinstance(each, types.TextDocumentEdit)
        versions[each.text_document.uri.partition("my%20project/")[2]] = each.text_document.version
    edited = RENAMES[0][3]
    assert versions == dict.fromkeys(edited) | {RENAMES[0][0]: 3}


FIXED = [
    (ORDERS, "bind: Refund", "bind: Refnd", "Write `Refund`"),
    (ORDERS, "result: [Order]", "result: [Oder]", "Write `Order`"),
    (ORDERS, "customer: string", "customer: {type: [string]}", "Write the type without the list"),
    (POLICY, "shop.orders.refund: ask", "shop.orders.refnd: ask", "Write `shop.orders.refund`"),
]


def test_findings_have_fixes(serve: Serve) -> None:
    async def look(client: Client) -> None:
        for file, right, wrong, title in FIXED:
            text = FILES[file].replace(right, wrong)
            at = client.show(file, text)
            await whole_check(client)
            place = client.range_of(text, wrong)
            context = types.CodeActionContext(diagnostics=[])
            found = await client.client.text_document_code_action_async(
                types.CodeActionParams(at.text_document, place, context)
            )
            actions = {each.title: each for each in found or () if isinstance(each, types.CodeAction)}
            assert {*actions} == {title, "Fix all"}, wrong
            for action in actions.values():
                assert action.edit is not None
                assert action.edit.changes is not None
                (edits,) = action.edit.changes.values()
                assert applied(text, edits) == FILES[file].replace(
                    right, wrong.replace("[string]", "string") if "type" in wrong else right
                )
            client.show(file, FILES[file])

    serve(look)


def applied(text: str, edits: Sequence[types.TextEdit]) -> str:
    """Return a text after the edits of an editor; the files of the project have no character outside the BMP."""
    lines = text.splitlines(keepends=True)

    def offset(at: types.Position) -> int:
        return sum(map(len, lines[: at.line])) + at.character

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
