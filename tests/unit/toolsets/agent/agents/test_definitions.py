"""Agent definitions: which agents a call may start, and the errors for others."""

from __future__ import annotations

import pytest

from toolgen.contract.records import FailureKind
from toolgen.runtime import load
from toolgen.runtime.base.errors import CallFailed
from toolgen.toolsets.agent.agents import AgentDefinitionRegistry

REGISTRY = AgentDefinitionRegistry(load("generated"))


def test_only_hosts_start_main_agents() -> None:
    assert [(each.id, each.role) for each in REGISTRY] == [
        ("default_fork", "fork"),
        ("default_sub", "sub"),
        ("default_worker", "worker"),
        ("orchestrator.researcher", "sub"),
    ]


def test_a_definition_contains_a_description_and_the_text_for_its_agent() -> None:
    definition = REGISTRY.find("orchestrator.researcher", "sub")
    assert definition.description == "Answers questions from sources."
    assert definition.system == "You are a careful researcher. Every statement needs a source."


def test_a_definition_is_listed_with_the_first_line_of_its_description(many_agents: str) -> None:
    assert [each.as_json() for each in AgentDefinitionRegistry(load(many_agents))][:2] == [
        {"id": "ann", "role": "sub", "description": "Opens the vault."},
        {"id": "bob", "role": "sub", "description": "Opens the vault."},
    ]


@pytest.mark.parametrize(
    ("definition_id", "role", "hint"),
    [
        ("orchestrator.reseacher", "sub", "did you mean orchestrator.researcher?"),
        ("default_worker", "sub", "did you mean default_sub?"),
        ("main", "sub", "did you mean default_sub or orchestrator.researcher?"),
        ("x" * 500, "worker", "did you mean default_worker?"),
    ],
)
def test_reg_38_an_unknown_id_is_reported_with_suggestions_of_the_same_role(
    definition_id: str, role: str, hint: str
) -> None:
    with pytest.raises(CallFailed) as caught:
        REGISTRY.find(definition_id, role)
    error = caught.value
    assert (error.kind, error.code, error.hint) == (FailureKind.INVALID_CALL, "unknown_agent", hint)
    assert error.message == f"no agent of the role {role} has the definition id {definition_id[:100]!r}"


def test_without_agents_of_the_role_nothing_is_suggested() -> None:
    with pytest.raises(CallFailed) as caught:
        AgentDefinitionRegistry(load("toolgen.toolsets.generated")).find("default_sub", "sub")
    assert caught.value.hint == "go on without it: there is none to start"


def test_only_some_of_many_agents_are_named(many_agents: str) -> None:
    with pytest.raises(CallFailed) as caught:
        AgentDefinitionRegistry(load(many_agents)).find("zzzzzz", "sub")
    assert caught.value.hint == "did you mean ann or bob or cyd?"
