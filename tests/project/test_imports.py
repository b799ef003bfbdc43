"""What an import costs: which modules each public import brings, seen from a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.project.checkout import ROOT

COMPILER_LIBRARIES = {"click", "datamodel_code_generator", "jinja2", "jsonschema", "rich", "ruff", "yaml"}
VALIDATION_LIBRARIES = {"jsonschema_rs", "pydantic", "pydantic_core"}


def loaded(statement: str) -> set[str]:
    """Run the statement in an interpreter of its own, and give each module it loaded."""
    code = f"import sys; before = set(sys.modules); {statement}; print(*set(sys.modules) - before)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    ("module", "own"),
    [
        ("toolgen", {"toolgen"}),
        ("toolgen.contract.ident", {"toolgen", "toolgen.contract", "toolgen.contract.ident"}),
    ],
)
def test_the_way_to_the_contract_loads_nothing_beside_it(module: str, own: set[str]) -> None:
    modules = loaded(f"import {module}")
    assert {name for name in modules if name.partition(".")[0] == "toolgen"} == own
    assert modules & (VALIDATION_LIBRARIES | COMPILER_LIBRARIES) == set()


def test_the_runtime_loads_nothing_of_the_compiler() -> None:
    modules = loaded("import toolgen.runtime")
    assert modules & (COMPILER_LIBRARIES | {"toolgen.cli", "toolgen.compiler"}) == set()


def test_the_names_of_the_runtime_bring_nothing_that_few_calls_need() -> None:
    modules = loaded("from toolgen.runtime import *")
    assert "toolgen.runtime.calls.pipeline" in modules
    of_models = {"jsonschema_rs", "pydantic.fields", "pydantic.types", "toolgen.runtime.codec.formats"}
    of_failures = {"difflib", "toolgen.runtime.redact.redact"}
    assert modules & (of_models | of_failures | {"asyncio", "toolgen.providers.stubs.stub"}) == set()


def test_the_command_line_loads_no_half_before_it_knows_the_command() -> None:
    modules = loaded("import toolgen.cli")
    assert modules & (COMPILER_LIBRARIES | VALIDATION_LIBRARIES | {"toolgen.compiler", "toolgen.runtime"}) == set()


def test_a_generated_package_loads_no_models() -> None:
    modules = loaded("import generated")
    assert modules & (COMPILER_LIBRARIES | VALIDATION_LIBRARIES | {"toolgen.runtime"}) == set()
