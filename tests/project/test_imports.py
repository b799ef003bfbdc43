"""The cost of imports: the modules that each public import loads in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.checkout import ROOT

COMPILER_LIBRARIES = {"click", "datamodel_code_generator", "jinja2", "jsonschema", "rich", "ruff", "yaml"}
OF_EVERY_HOST = (
    *("Catalog", "Codec", "Decision", "InvalidPayload", "Runtime", "Session", "ToolAdapter", "ToolCallMeta"),
    *("ToolDefinition", "ToolError", "ToolNotFound", "ToolRequest", "ToolResult", "allow_all", "blocking", "deny_all"),
    "load",
)
VALIDATION_LIBRARIES = {"jsonschema_rs", "pydantic", "pydantic_core"}


def loaded(statement: str) -> set[str]:
    """Run the statement in a separate interpreter and return the modules it loaded."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    ("module", "own"),
    [
        ("toolgen", {"toolgen"}),
        (
            "toolgen.contract.ident",
            {"toolgen", "toolgen.contract", "toolgen.contract.ident", "toolgen.contract.lazy"},
        ),
    ],
)
def test_importing_the_contract_loads_nothing_else(module: str, own: set[str]) -> None:
    modules = loaded(f"import {module}")
    assert {name for name in modules if name.partition(".")[0] == "toolgen"} == own
    assert modules & (VALIDATION_LIBRARIES | COMPILER_LIBRARIES) == set()


def test_the_runtime_loads_no_module_of_the_compiler() -> None:
    modules = loaded("import toolgen.runtime")
    assert modules & (COMPILER_LIBRARIES | {"toolgen.cli", "toolgen.compiler"}) == set()


def test_importing_the_runtime_loads_no_rarely_used_modules() -> None:
    modules = loaded(f"from toolgen.runtime import {', '.join(OF_EVERY_HOST)}")
    assert "toolgen.runtime.calls.runtime" in modules
    of_models = {"jsonschema_rs", "pydantic.fields", "pydantic.types", "toolgen.runtime.codec.formats"}
    of_failures = {"difflib", "toolgen.runtime.redact.redact"}
    assert modules & (of_models | of_failures | {"asyncio", "toolgen.providers.stubs"}) == set()


def test_the_command_line_loads_neither_compiler_nor_runtime_before_parsing() -> None:
    modules = loaded("import toolgen.cli")
    assert modules & (COMPILER_LIBRARIES | VALIDATION_LIBRARIES | {"toolgen.compiler", "toolgen.runtime"}) == set()


def test_a_generated_package_loads_no_models() -> None:
    modules = loaded("import generated")
    assert modules & (COMPILER_LIBRARIES | VALIDATION_LIBRARIES | {"toolgen.runtime"}) == set()
