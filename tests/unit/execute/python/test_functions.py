"""Functions and methods: what a spec has of them, and that they are called with values of their types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.execute.python.importing import CODE, MODULES, Calls, Import, build, import_code
from toolgen.contract.records import FailureKind
from toolgen.execute.python import python_executor
from toolgen.execute.python.modules import HandlerModules
from toolgen.execute.python.references import NotThere, Objects
from toolgen.execute.python.sources import NoTools, text_of, tools_of
from toolgen.runtime import Runtime, allow_all
from toolgen.runtime.base.errors import ExecutorError

if TYPE_CHECKING:
    from pathlib import Path

RUN = (
    "order",
    "ship",
    "track",
    "promise",
    "nothing",
    "untyped",
    "stops",
    "wrong",
    "handle",
    "walk",
    "rate",
    "rates",
    "Register",
    "bank",
)
ORDER = {
    "item": {"name": "lamp"},
    "address": {"street": "s"},
    "when": "2020-01-02T03:04:05Z",
    "options": {"gift": True},
}


@pytest.fixture(scope="module")
def made() -> Import:
    return import_code(*RUN)


@pytest.fixture(scope="module")
def calls(made: Import, tmp_path_factory: pytest.TempPathFactory) -> Calls:
    return Calls.of(build(made.text, tmp_path_factory.mktemp("functions"), "compiled_functions"))


def test_args_have_pydantics_schema_and_the_docstrings_descriptions(made: Import) -> None:
    args = made.tools["order"]["args"]
    fields = args["properties"]
    assert args["required"] == ["item", "address", "when", "options"]
    assert fields["when"] == {"type": "string", "description": "When it is needed.", "format": "date-time"}
    assert fields["count"] == {"type": "integer", "description": "How many.", "default": 1, "minimum": 1, "maximum": 9}
    assert fields["limit"] == {"type": "integer", "default": 5, "minimum": 1}
    assert fields["kind"] == {"type": "string", "enum": ["fast", "slow"], "default": "slow"}
    assert fields["size"]["default"] == "l"
    assert fields["item"]["description"] == "What to order."
    assert made.tools["order"]["description"] == "Order an item."


def test_args_arrive_as_values_of_the_annotated_types(calls: Calls) -> None:
    given: dict[str, Any] = {
        **ORDER, "count": 2, "level": 2, "price": "2.5", "key": "c9bf9e57-1685-4c89-bafb-ff5af830be8a", "either": ["a"],
    }  # fmt: skip
    assert calls.value("order", given) == {
        "item": "Item: name='lamp' size=<Size.SMALL: 's'> made_on=None",
        "address": "Address: Address(street='s', lines=[])",
        "when": "datetime: 2020-01-02 03:04:05+00:00",
        "options": "dict: {'gift': True}",
        "size": "Size: Size.LARGE",
        "level": "Level: 2",
        "kind": "str: slow",
        "count": "int: 2",
        "limit": "int: 5",
        "price": "Decimal: 2.5",
        "key": "UUID: c9bf9e57-1685-4c89-bafb-ff5af830be8a",
        "either": "list: ['a']",
    }


def test_defaults_are_those_of_the_function(calls: Calls) -> None:
    found = calls.value("order", ORDER)
    assert (found["price"], found["level"], found["either"]) == ("Decimal: 1.50", "Level: 1", "int: 0")


def test_a_default_that_json_does_not_have_is_left_to_the_function(tmp_path: Path) -> None:
    made = import_code("endless")  # without a warning of pydantic, which would be an error here
    assert made.tools["endless"]["args"]["properties"] == {"most": {"type": "number"}}
    assert Calls.of(build(made.text, tmp_path, "compiled_endless")).value("endless") is True


def test_an_async_function_gets_the_meta_and_its_model_is_encoded_by_alias(calls: Calls, made: Import) -> None:
    assert list(made.tools["ship"]["args"]["properties"]) == ["item", "to"]
    found = calls.value("ship", {"item": {"name": "lamp", "madeOn": "2019-01-01"}, "to": {"street": "s"}})
    assert found == {"name": "lamp to s for ana", "size": "s", "madeOn": "2020-01-02"}


def test_trees_and_choices_of_models_arrive_as_models(calls: Calls, made: Import) -> None:
    tree = {"pet": {"kind": "cat"}, "children": [{"pet": {"kind": "dog"}, "children": []}]}
    assert calls.value("walk", {"node": tree}) == tree
    assert "discriminator" not in str(made.data)
    assert calls.error("walk", {"node": {"pet": {"kind": "bird"}}}).kind is FailureKind.INVALID_CALL


def test_results_may_be_whole_results_or_awaitables(calls: Calls, made: Import) -> None:
    assert made.tools["track"]["result"]["items"] == {"type": "string", "format": "date-time"}
    assert calls.invoke("track", {"number": 3}).message == "moved"
    assert calls.value("track", {"number": 3}) == ["2020-01-03T00:00:00Z"]
    assert calls.value("promise") == "l"
    assert calls.value("nothing") is None
    assert made.tools["nothing"]["result"] == {"type": "null"}


def test_methods_share_one_instance_of_their_class(calls: Calls, made: Import) -> None:
    assert made.tools["sell"]["handler"] == f"{CODE}:Register.sell"
    assert made.tools["sell"]["args"]["properties"]["size"]["description"] == "How large it is."
    assert calls.value("sell", {"size": "l"}) + 1 == calls.value("sell")
    assert (calls.value("create", {"start": 3}), calls.value("currency")) == (3, "EUR")
    assert calls.value("pay", {"amount": 2}) == "2.0 with k"
    assert "_secret" not in made.tools


def test_methods_of_bases_are_those_of_an_object_too() -> None:
    assert list(import_code("register").tools) == ["close", "create", "currency", "sell"]


def test_values_that_only_the_types_reject_are_errors_of_the_call(calls: Calls) -> None:
    error = calls.error("order", {**ORDER, "when": "soon", "item": {"name": "nameless"}})
    assert error.kind is FailureKind.INVALID_CALL
    assert [issue.pointer for issue in error.issues] == ["/item/name", "/when"]
    assert "an item needs a name" in error.issues[0].hint


def test_what_a_function_does_wrong_is_its_failure(calls: Calls) -> None:
    assert calls.error("stops").kind is FailureKind.INTERNAL
    assert calls.error("wrong").kind is FailureKind.MALFORMED_RESULT
    assert calls.error("handle").kind is FailureKind.MALFORMED_RESULT


@pytest.mark.parametrize("tool", ["rate", "rates"])
def test_a_number_that_json_does_not_have_is_never_null(calls: Calls, tool: str) -> None:
    for at in (0, 1):
        assert calls.error(tool, {"at": at}).code == "malformed_result"
    assert calls.value("rate", {"at": 2}) == {"of": {"amount": 1.5}, "each": None}
    assert calls.value("rates", {"at": 2}) == [{"amount": None}]


def test_what_is_not_annotated_is_any_json_and_reported(made: Import, calls: Calls) -> None:
    assert calls.value("untyped", {"first": [1]}) == {"first": [1], "second": 2}
    assert "result" not in made.tools["untyped"]
    shown = [message for message in made.messages if "untyped" in message or "handle" in message]
    assert [message[:5] for message in shown] == ["TG842", "TG842", "TG844", "TG843"]
    assert made.tools["untyped"]["description"] == "Untyped."


def test_what_cannot_be_a_tool_is_left_out_with_its_reason() -> None:
    made = import_code("spread", "keywords", "callback", "numbers", "unknown", "Bank", "nothing")
    assert list(made.tools) == ["nothing"]
    assert made.faults == {
        "spread": "spread takes `*args: int`, so its args are not known: name each parameter",
        "keywords": "keywords takes `**kwargs: int`, so its args are not known: name each parameter",
        "callback": "callback cannot be a tool: its parameter `done`: "
        "Cannot generate a JsonSchema for core_schema.CallableSchema",
        "numbers": "numbers yields values: a tool returns one",
        "unknown": "unknown has an annotation that is not known at run time: name 'Missing' is not defined; "
        "import it outside of `if TYPE_CHECKING`",
        "Bank.pay": "an instance of Bank cannot be made: missing a required argument: 'key'; "
        "make one in the module, and import that",
    }


def test_a_module_has_its_own_public_functions() -> None:
    found = {each.reference.rpartition(":")[2] for each in tools_of(CODE, MODULES)}
    assert found == {*RUN, "endless", "spread", "keywords", "callback", "numbers", "unknown"} - {"Register", "bank"}
    assert text_of(CODE, MODULES) == "A shop in Python: what is imported in tests."
    assert text_of(f"{CODE}:Register", MODULES) == "A register of what was sold."


PROXIES = """
class Settings:
    def __getattr__(self, name):
        raise RuntimeError("settings are not configured")
class Local:
    @property
    def __class__(self):
        raise RuntimeError("outside of a request")
settings, request = Settings(), Local()
def find(text: str) -> str:
    "Find a text."
    return text
"""


@pytest.mark.parametrize("listed", ["", "__all__ = ['settings', 'request', 'find', 'missing']"])
def test_proxies_that_work_in_a_running_application_only_hide_no_function(
    tmp_path: Path, monkeypatch: Any, listed: str
) -> None:
    module = f"proxies_{bool(listed)}"
    (tmp_path / f"{module}.py").write_text(PROXIES + listed)
    monkeypatch.syspath_prepend(str(tmp_path))
    found = [each.reference for each in tools_of(module, HandlerModules(named=(module,)))]
    assert found == [f"{module}:find"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (f"{CODE}:ordr", f"`{CODE}` has no `ordr`; did you mean `order`?"),
        (f"{CODE}:Register.sel", f"`{CODE}:Register` has no `sel`; did you mean `sell`?"),
        (
            "tests.unit.execute.python.shp",
            "there is no module `tests.unit.execute.python.shp`; did you mean `tests.unit.execute.python.shop`?",
        ),
        (f"{CODE}.py", f"there is no module `{CODE}.py`; did you mean `{CODE}`?"),
        (f"{CODE}.py:order", f"there is no module `{CODE}.py`; did you mean `{CODE}`?"),
        (f"{CODE}.order", f"there is no module `{CODE}.order`; did you mean `{CODE}:order`?"),
        (f"{CODE}.ordr", f"there is no module `{CODE}.ordr`; did you mean `{CODE}:order`?"),
        ("colections:deque", "there is no module `colections`; did you mean `collections`?"),
        (f"{CODE}:LIMIT", f"`{CODE}:LIMIT` is a int: name modules"),
        (f"{CODE}:Item", f"`{CODE}:Item` has no public method of its own"),
    ],
)
def test_what_is_not_there_is_named_with_the_nearest(source: str, says: str) -> None:
    with pytest.raises((NotThere, NoTools)) as raised:
        list(tools_of(source, MODULES))
    assert raised.value.args[0].startswith(says)


@pytest.mark.parametrize("module", ["nothing", f"{CODE}.pty"])
def test_a_module_that_resembles_none_is_named_alone(module: str) -> None:
    with pytest.raises(NotThere) as raised:
        list(tools_of(f"{module}:app", MODULES))
    assert raised.value.args[0] == f"there is no module `{module}`"


def test_a_module_that_another_module_lacks_is_not_blamed_on_the_source(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "needs_more.py").write_text("import not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there"):
        list(tools_of("needs_more", HandlerModules(str(tmp_path))))


def test_a_handler_that_does_not_fit_its_tool_is_found_at_startup(made: Import, tmp_path: Path) -> None:
    gone = made.text.replace(f"handler: {CODE}:Register.sell", f"handler: {CODE}:Register.cell")
    with pytest.raises(ExecutorError, match=r"the handler of shop\.sell, .* has no `cell`; did you mean `sell`\?"):
        python_executor(build(gone, tmp_path, "compiled_gone"), "shop", MODULES)
    other = made.text.replace(f"handler: {CODE}:Register.sell", f"handler: {CODE}:Register.currency")
    with pytest.raises(ExecutorError, match="currency has no parameter `size`; import it again"):
        python_executor(build(other, tmp_path, "compiled_other"), "shop", MODULES)
    needs = made.text.replace(f"handler: {CODE}:Register.currency", f"handler: {CODE}:Register.create")
    with pytest.raises(ExecutorError, match="create needs `start`, which is not an arg"):
        python_executor(build(needs, tmp_path, "compiled_needs"), "shop", MODULES)


def test_tools_without_a_handler_are_not_available_and_a_toolset_needs_one(made: Import, tmp_path: Path) -> None:
    more = made.text.replace("\nimported:", "\n  more: {description: Not yet written.}\n\nimported:")
    calls = Calls.of(build(more, tmp_path, "compiled_more"))
    assert calls.error("more").kind is FailureKind.UNAVAILABLE
    none = "toolgen: 1\ntoolset: shop\ntools: {more: {description: x}}\n"
    with pytest.raises(ExecutorError, match="no tool of shop has a `handler`"):
        python_executor(build(none, tmp_path, "compiled_none"), "shop", MODULES)


def test_injected_fields_reach_the_function(tmp_path: Path) -> None:
    text = import_code("track").text.replace("    description:", "    inject: [number]\n    description:")
    catalog = build(text, tmp_path, "compiled_injected")
    runtime = Runtime(
        catalog,
        executors=[python_executor(catalog, "shop", MODULES)],
        permission=allow_all,
        inject={"number": lambda _meta: 7},
    )
    assert Calls(runtime).value("track") == ["2020-01-07T00:00:00Z"]


def test_an_import_makes_no_instance() -> None:
    found = Objects(are_called=False, modules=None).find(f"{CODE}:Bank.pay")
    assert found.func.__qualname__ == "Bank.pay"
