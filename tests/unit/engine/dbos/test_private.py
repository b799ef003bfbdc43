"""What is used of DBOS without being published by it: it is all in one module, and each of it is there."""

from __future__ import annotations

import ast
import inspect
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version

import dbos
import pytest
from dbos import _serialization

from tests.project.checkout import ROOT, sources
from toolgen.engine.dbos import database  # noqa: F401  # it has pickles refused
from toolgen.engine.dbos.private import DECODERS, SystemDatabase, db_retry

PRIVATE = ROOT / "toolgen" / "engine" / "dbos" / "private.py"
TREE = ast.parse(PRIVATE.read_text(encoding="utf-8"))
IMPORTED = [
    (node.module, each.name)
    for node in ast.walk(TREE)
    if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dbos.")
    for each in node.names
]
USED = {node.attr for node in ast.walk(TREE) if isinstance(node, ast.Attribute) and node.attr.startswith("_")}
OF_TABLES = {"_execute_prepared", "_is_unique_constraint_violation", "_now_ms_sql"}
OF_PROCESSES = {"_active_workflows_set", "_sys_db"}
SET = {"_retry_connection_errors"}
"""What the engine sets of tables, and DBOS reads."""
REPLACED = {
    "check_operation_execution": "(workflow_id: str, function_id: int, function_name: str, *,"
    " owner_key: str | None = None)",
    "record_operation_result": "(result: OperationResultInternal, *, completed_at_epoch_ms: int | None = None,"
    " owner_xid: str | None = None, owner_key: str | None = None)",
}
"""Methods that the engine replaces, with the parameters that it takes."""


@pytest.mark.parametrize(("module", "name"), IMPORTED)
def test_a_name_is_still_there(module: str, name: str) -> None:
    assert hasattr(import_module(module), name), f"{module} has no {name} any more"


@pytest.mark.parametrize("name", sorted(USED))
def test_an_attribute_is_still_there(name: str) -> None:
    assert name in OF_TABLES | OF_PROCESSES | SET, f"say of what class {name} is"
    if name in SET:
        assert f'"{name}"' in inspect.getsource(db_retry)
    elif name in OF_TABLES:
        assert hasattr(SystemDatabase, name)
    else:
        assert f"self.{name}" in inspect.getsource(dbos.DBOS)


@pytest.mark.parametrize("name", REPLACED)
def test_a_replaced_method_is_called_as_before(name: str) -> None:
    given = inspect.signature(getattr(SystemDatabase, name)).parameters
    found = [(each.name, each.kind, each.default) for each in given.values() if each.name != "self"]
    words = ast.parse(f"def f{REPLACED[name]}: ...").body[0]
    assert isinstance(words, ast.FunctionDef)
    wanted = [
        *((each.arg, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty) for each in words.args.args),
        *((each.arg, inspect.Parameter.KEYWORD_ONLY, None) for each in words.args.kwonlyargs),
    ]
    assert found == wanted


def test_whatever_of_dbos_decodes_a_row_refuses_pickles() -> None:
    """What DBOS imports under its own or another name is what refuses: see `refuse_pickles`."""
    loaded = [module for path, module in sys.modules.items() if path.split(".")[0] == "dbos"]
    own = [getattr(_serialization, name) for name in DECODERS]
    unguarded = {each.__wrapped__ for each in own}
    assert len(unguarded) == len(DECODERS)
    for module in loaded:
        found = [name for name, value in vars(module).items() if any(value is each for each in unguarded)]
        assert found == [], module.__name__
        assert module is _serialization or "pickle" not in vars(module), module.__name__


def test_no_other_module_uses_what_dbos_does_not_publish() -> None:
    forbidden = OF_TABLES | {"_sys_db", "_active_workflows_set"}
    for file in sources("toolgen"):
        text = file.read_text(encoding="utf-8")
        if file == PRIVATE or not any(name in text for name in forbidden | {"dbos._"}):
            continue
        tree = ast.parse(text)
        imported = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        imported += [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
        assert not [name for name in imported if name.startswith("dbos._")], file
        used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not used & forbidden, file


def test_the_version_of_dbos_is_the_one_that_has_these_names() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras: dict[str, list[str]] = tomllib.load(file)["project"]["optional-dependencies"]
    assert [each for each in extras["dbos"] if each.startswith("dbos")] == [f"dbos=={version('dbos')}"]
