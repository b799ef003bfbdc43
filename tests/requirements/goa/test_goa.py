"""Requirements of typed toolsets that the compiler meets."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from tests.case import CASES, Case
from tests.unit.compiler.specs import resolved, toolset
from toolgen.compiler.compile import generate
from toolgen.contract.ident import Ident
from toolgen.contract.records import ToolRequest, ToolResult
from toolgen.runtime import Runtime, allow_all, load
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    Import: TypeAlias = Callable[[str], Any]

EXPORT = "toolgen: 1\nagent: lab.bob\nexport: [lab.research]\n"


@pytest.mark.parametrize(
    ("kind", "specs"),
    [
        ("service", [toolset({"add": {}}, kind="service")]),
        ("agent", [toolset({"add": {}}, name="lab.research", kind="agent"), EXPORT]),
        ("mcp", [toolset({"add": {}}, name="mcp.git", kind="mcp")]),
    ],
)
def test_goa_01_there_are_three_kinds_of_toolsets(kind: str, specs: list[str]) -> None:
    found = resolved(*specs)
    assert found.messages == []
    assert [compiled.kind for compiled in found.catalog.toolsets] == [kind]


def test_goa_01_any_other_kind_is_a_compile_error() -> None:
    found = resolved(toolset({"add": {}}, kind="servce"))
    message = '`kind` must be `service`, `agent`, `mcp`, `command` or `http`, but is "servce"'
    assert found.messages == [f"TG105 1.json:1:43 {message}"]


def test_goa_02_a_service_tool_may_be_bound_to_a_method() -> None:
    tools: dict[str, Any] = {
        "bound": {"args": {"name": "string"}, "bind": "Save"},
        "free": {"args": {"name": "string"}},
    }
    result = resolved(toolset(tools, methods={"Save": {"payload": {"name": "string"}}}))
    assert result.messages == []
    assert result.tools["shop.free"].binding is None
    assert result.tools["shop.bound"].binding is not None
    assert result.tools["shop.bound"].binding.method == "Save"


def test_goa_02_an_unknown_method_is_a_compile_error_at_its_location() -> None:
    text = "toolgen: 1\ntoolset: shop\nmethods: {Save: {}}\ntools:\n  add:\n    description: Add.\n    bind: Sve\n"
    assert resolved(text).messages == ["TG403 1.yaml:7:11 there is no method `Sve`"]


def test_goa_03_a_toolset_is_a_package_of_these_files() -> None:
    case = Case(CASES / "transforms_that_fit")
    folder = "crm/tools/contacts/"
    files = [path.removeprefix(folder) for path in case.compile().files if path.startswith(folder)]
    tools = ["names", "nested", "open", "same", "save"]
    assert files == [f"{name}.py" for name in sorted(["__init__", *tools, "methods", "shared", "transforms"])]


def test_goa_03_the_same_specs_give_the_same_bytes() -> None:
    spec = toolset({"add": {"args": {"b": ["string"], "a": {"x": {"enum": ["p", "q"]}}}}, "drop": {}})
    assert generate(resolved(spec).catalog) == generate(resolved(spec).catalog)


def test_goa_04_a_consumer_imports_what_the_provider_defines(imported: Import, packages: Path) -> None:
    folder = packages / "agents_and_exports" / "lab" / "agents" / "chat_agent" / "toolsets" / "lab"
    assert [path.name for path in folder.glob("*.py")] == ["__init__.py"]
    module = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(module))

    defined = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    assert defined == [f"new_chat_agent_{name}_toolset_registration" for name in ("files", "research")]
    assigned = [node for node in ast.walk(module) if isinstance(node, ast.Assign | ast.AnnAssign)]
    assert not assigned, "no type or constant of its own"

    toolsets = imported("agents_and_exports.lab.agents.chat_agent.toolsets.lab")
    consumer = toolsets.files
    assert consumer is imported("agents_and_exports.lab.tools.files")
    shared = {"READ", "ReadArgs", "ReadResult", "WRITE", "WriteArgs", "WriteResult", "Handlers", "codecs"}
    assert set(dir(consumer)) == {*shared, "executor", "new_read_call", "new_registration", "new_write_call"}
    assert consumer.new_read_call(path="a").payload == b'{"path":"a"}'
    assert toolsets.new_chat_agent_files_toolset_registration(Answers()).toolset == "lab.files"


def test_goa_06_an_exported_toolset_still_belongs_to_its_owner() -> None:
    use = "toolgen: 1\nagent: lab.chat\nuse: [lab.research]\n"
    found = resolved(toolset({"ask": {}}, name="lab.research", kind="agent"), EXPORT, use)
    assert found.messages == []
    assert [(compiled.package, compiled.exported_by) for compiled in found.catalog.toolsets] == [
        (("lab", "tools", "research"), "lab.bob")
    ]


def test_goa_06_a_toolset_that_no_agent_exports_cannot_be_used() -> None:
    use = "toolgen: 1\nagent: lab.chat\nuse: [lab.research]\n"
    found = resolved(toolset({"ask": {}}, name="lab.research", kind="agent"), use)
    assert found.has_errors
    assert [message.split(" ", 2)[2] for message in found.messages] == [
        "no agent exports `lab.research`, so nothing runs it"
    ]
    assert all(message.startswith("TG502 1.json:1:27 ") for message in found.messages)


def test_goa_07_an_agent_offers_what_it_exports(imported: Import) -> None:
    exported = imported("agents_and_exports.lab.agents.researcher.agenttools").research
    registration = exported.new_registration(answers := Answers())
    assert (registration.toolset, registration.executor) == ("lab.research", answers)
    assert exported.new_search_call(query="x").name == "lab.research.search"
    assert exported.new_verify_call(claim="x").name == "lab.research.verify"


def test_goa_08_consumers_delegate_to_the_provider(imported: Import) -> None:
    toolsets = imported("agents_and_exports.lab.agents.chat_agent.toolsets.lab")
    consumer = toolsets.research
    provider = imported("agents_and_exports.lab.agents.researcher.agenttools").research
    assert {"SEARCH", "VERIFY", "new_search_call", "new_verify_call", "codecs"} <= set(consumer.__all__)
    assert all(getattr(consumer, name) is getattr(provider, name) for name in consumer.__all__)
    of_toolset = imported("agents_and_exports.lab.tools.research")
    assert (provider.SEARCH, provider.VERIFY) == ("lab.research.search", "lab.research.verify")
    assert (provider.SEARCH is of_toolset.SEARCH, provider.VERIFY is of_toolset.VERIFY) == (True, True)
    registrations = [
        toolsets.new_chat_agent_research_toolset_registration(answers := Answers()),
        provider.new_registration(answers),
    ]
    assert registrations[0] == registrations[1]
    assert registrations[0].inline


def test_goa_10_goa_11_a_used_mcp_toolset_compiles_to_a_registration() -> None:
    consumer = import_module("generated.orchestrator.agents.chat.toolsets.mcp")
    suite = import_module("generated.mcp.tools.github")
    registration = consumer.new_chat_github_toolset_registration(answers := Answers())
    assert registration == suite.new_registration(answers)
    assert (registration.toolset, registration.executor) == ("mcp.github", answers)
    assert registration.decode_in_executor
    assert consumer.github.CREATE_ISSUE is suite.CREATE_ISSUE
    assert suite.CREATE_ISSUE == "mcp.github.create_issue"


def test_goa_10_an_mcp_toolset_that_is_not_declared_cannot_be_used() -> None:
    found = resolved(toolset({"add": {}}, name="mcp.git", kind="mcp"), "toolgen: 1\nagent: lab.bob\nuse: [mcp.gti]\n")
    assert found.messages == ["TG504 2.yaml:3:7 `mcp.gti` matches no tool"]


def test_goa_25_there_is_one_typed_constructor_for_each_consumed_toolset(imported: Import) -> None:
    toolsets = imported("agents_and_exports.lab.agents.chat_agent.toolsets.lab")
    made = {f"new_chat_agent_{name}_toolset_registration" for name in ("research", "files")}
    assert {each for each in vars(toolsets) if each.endswith("_registration")} == made
    for name in ("research", "files"):
        constructor = getattr(toolsets, f"new_chat_agent_{name}_toolset_registration")
        assert constructor.__annotations__ == {"executor": "ToolExecutor", "return": "ToolsetRegistration"}
        registration = constructor(answers := Answers())
        assert (registration.toolset, registration.executor) == (f"lab.{name}", answers)
        catalog = load("compiled.agents_and_exports")
        with pytest.raises(ExecutorError, match=rf"lab\.{name} has two executors"):
            Runtime(
                catalog,
                permission=allow_all,
                executors=[registration, constructor(Answers())],
                missing=catalog.toolsets,
            )


def test_goa_27_the_id_of_a_tool_is_its_service_its_toolset_and_itself(imported: Import) -> None:
    assert list(resolved(toolset({"upsert": {}}, name="orchestrator.profiles")).tools) == [
        "orchestrator.profiles.upsert"
    ]
    assert imported("agents_and_exports.lab.tools.research").SEARCH == "lab.research.search"
    assert import_module("generated.orchestrator.tools.profiles").UPSERT == "orchestrator.profiles.upsert"


def test_goa_31_compatible_shapes_get_transforms(imported: Import) -> None:
    contacts = imported("transforms_that_fit.crm.tools.contacts")
    args = contacts.SaveArgs(name="Ada", emails=[contacts.Email(address="a@b")], limit=3)
    payload = contacts.to_method_payload_save(args, tenant_id="t")
    assert isinstance(payload, contacts.SavePayload)
    sent = {"tenant_id": "t", "name": "Ada", "emails": [{"address": "a@b"}], "limit": 3}
    assert payload.model_dump(exclude_unset=True) == sent
    contact = contacts.Contact(id="1", name="Ada")
    assert contacts.to_tool_return_save(contact) == contact


@pytest.mark.parametrize("absent", [[], ["emails"], ["tag"], ["emails", "tag"]])
def test_goa_31_the_payload_has_exactly_the_fields_that_were_sent(imported: Import, absent: list[str]) -> None:
    contacts = imported("transforms_that_fit.crm.tools.contacts")
    sent = {"name": "Ada", "emails": [{"address": "a@b"}], "tag": None, "limit": 3}
    sent = {name: value for name, value in sent.items() if name not in absent}
    args = contacts.codecs.args(contacts.SAVE).decode(json.dumps(sent))
    payload = contacts.to_method_payload_save(args, tenant_id="t").model_dump(exclude_unset=True, by_alias=True)
    assert payload == {"tenant_id": "t", **sent}


def test_goa_32_incompatible_shapes_get_a_note_instead_of_transforms(imported: Import) -> None:
    package = "transforms_that_do_not_fit.crm.tools.misfits"
    misfits = imported(package)
    assert misfits.__all__, "it names all that it offers"
    assert not [name for name in {*dir(misfits), *misfits.__all__} if name.startswith("to_")]
    compiled = Case(CASES / "transforms_that_do_not_fit").compile()
    texts = [text for path, text in compiled.files.items() if path.startswith("crm/tools/misfits/")]
    assert not [text for text in texts if b"to_method_payload_" in text or b"to_tool_return_" in text]
    with pytest.raises(ModuleNotFoundError):
        imported(f"{package}.transforms")
    notes = re.findall(r"note\[TG404\]: no transform from (.*)", compiled.diagnostics)
    sides = Counter(note.partition(":")[0] for note in notes)
    tools = len([value for value in vars(misfits).values() if isinstance(value, Ident)])
    assert sides == {"args to the method's payload": tools, "the method's result to the tool's": tools}


def test_goa_33_every_tool_has_an_ident(imported: Import) -> None:
    catalog = resolved(
        *(path.read_text(encoding="utf-8") for path in sorted((CASES / "agents_and_exports" / "specs").iterdir()))
    ).catalog
    modules = [imported(f"agents_and_exports.{'.'.join(each.package)}") for each in catalog.toolsets]
    idents = [value for module in modules for value in vars(module).values() if isinstance(value, Ident)]
    assert idents == [tool.ident for tool in catalog.tools]
    assert {each.exported_by for each in catalog.toolsets} == {"lab.researcher", ""}, "also of what is not exported"
    constants = [
        (name, value) for module in modules for name, value in vars(module).items() if isinstance(value, Ident)
    ]
    named = {value: name for name, value in constants}
    assert named == {tool.ident: tool.key.upper() for tool in catalog.tools}


def test_goa_35_agenttools_have_idents_types_codecs_and_call_builders(imported: Import) -> None:
    exported = imported("agents_and_exports.lab.agents.researcher.agenttools").research
    names = {
        "SEARCH",
        "SearchArgs",
        "SearchResult",
        "Source",
        "VERIFY",
        "VerifyArgs",
        "VerifyResult",
        "Handlers",
        "codecs",
        "executor",
        "new_registration",
        "new_search_call",
        "new_verify_call",
    }
    assert set(exported.__all__) == names
    provider = imported("agents_and_exports.lab.tools.research")
    types = ("SearchArgs", "SearchResult", "Source", "VerifyArgs", "VerifyResult")
    assert all(getattr(exported, name) is getattr(provider, name) for name in types)
    request = exported.new_search_call(query="x")
    assert request == ToolRequest(name=exported.SEARCH, payload=b'{"query":"x"}')
    assert exported.codecs.args(exported.SEARCH).decode(request.payload) == exported.SearchArgs(query="x")


class Answers:
    """An executor that answers every call with an empty object."""

    def execute(self, request: ToolRequest, meta: object, /) -> ToolResult[Any]:
        return ToolResult(tool_name=request.name, payload=b"{}")
