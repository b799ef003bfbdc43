"""Configuration of tool use: its defaults, its values, and all errors."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

from toolgen.spec.tool_use import LAYERS, ToolUseConfig, ToolUseError, read_tool_use


def problem(configuration: Any) -> str:
    """Return the one problem of a configuration, as `setting: message (fix)`."""
    with pytest.raises(ToolUseError) as caught:
        read_tool_use(configuration)
    (found,) = caught.value.problems
    return f"{found.setting}: {found.message} ({found.fix})"


def test_without_settings_the_defaults_apply() -> None:
    assert read_tool_use({}) == ToolUseConfig()
    assert read_tool_use({"targets": [], "executors": {}}) == ToolUseConfig()


def test_all_settings_can_be_configured() -> None:
    config = read_tool_use(
        {
            "tool_use": {"chat": "codeact", "phase": "retrieval", "catalog": "universal"},
            "action_retrieval": {
                "embedding_class": "small",
                "classes": {"small": {"url": "http://localhost/v1", "model": "m", "timeout_seconds": 2}},
                "hot_list_n": 3,
                "base": ["code.read_file"],
            },
            "router_model": "light",
            "settings": {"sandbox_backend": "seatbelt"},
        }
    )
    assert config == ToolUseConfig(
        presentations={"chat": "codeact", "step": "universal-category", "phase": "retrieval"},
        catalog="universal",
        embedding_class="small",
        embedding_classes={"small": {"url": "http://localhost/v1", "model": "m", "timeout_seconds": 2}},
        base=("code.read_file",),
        hot_list_size=3,
        tier="light",
        settings={"sandbox_backend": "seatbelt"},
        chosen=frozenset({"chat", "phase"}),
    )


def test_uac_53_without_wrappers_every_layer_lists_all_tools_unless_it_has_another_presentation() -> None:
    off = {"action_retrieval": {"universal_wrappers_enabled": False}}
    assert read_tool_use(off).presentations == dict.fromkeys(LAYERS, "enumerate-all")
    chosen = read_tool_use({**off, "tool_use": {"step": "codeact"}}).presentations
    assert chosen == {"chat": "enumerate-all", "step": "codeact", "phase": "enumerate-all"}
    assert read_tool_use({"action_retrieval": {"universal_wrappers_enabled": True}}) == ToolUseConfig()


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"tool_use": []}, "tool_use: `tool_use` must be a table, not [] ()"),
        (
            {"tool_use": {"chats": "codeact"}},
            "tool_use.chats: `tool_use` has no setting `chats` (did you mean 'chat'?)",
        ),
        ({"tool_use": {"chat": 3}}, "tool_use.chat: `tool_use.chat` must be a string, not 3 ()"),
        (
            {"tool_use": {"chat": "code-act"}},
            "tool_use.chat: there is no presentation 'code-act' (did you mean 'codeact'?)",
        ),
        ({"router_model": True}, "router_model: `router_model` must be a string, not True ()"),
        ({"settings": {"tier": 1}}, "settings.tier: `settings.tier` must be a string, not 1 ()"),
        (
            {"action_retrieval": {"embedding_class": "lexicol"}},
            "action_retrieval.embedding_class: there is no embedding class 'lexicol' (did you mean 'lexical'?)",
        ),
        (
            {"action_retrieval": {"hot_list_n": True}},
            "action_retrieval.hot_list_n: `action_retrieval.hot_list_n` must be a number, 0 or more, not True ()",
        ),
        (
            {"action_retrieval": {"base": "a.b"}},
            "action_retrieval.base: `action_retrieval.base` must be an array of tools, not 'a.b' ()",
        ),
        (
            {"action_retrieval": {"universal_wrappers_enabled": "no"}},
            (
                "action_retrieval.universal_wrappers_enabled: `action_retrieval.universal_wrappers_enabled` must be "
                "true or false, not 'no' ()"
            ),
        ),
        (
            {
                "action_retrieval": {"universal_wrappers_enabled": False},
                "tool_use": {"step": "universal-category"},
            },
            (
                "tool_use.step: the presentation 'universal-category' has wrappers, but "
                "`action_retrieval.universal_wrappers_enabled` is false (remove one of the two settings)"
            ),
        ),
        (
            {"action_retrieval": {"wrappers": False}},
            (
                "action_retrieval.wrappers: `action_retrieval` has no setting `wrappers` "
                "(there are base, classes, embedding_class, hot_list_n, universal_wrappers_enabled)"
            ),
        ),
        (
            {"action_retrieval": {"classes": {"lexical": {"path": "m"}}}},
            "action_retrieval.classes.lexical: the class 'lexical' is built in (rename yours)",
        ),
        (
            {"action_retrieval": {"classes": {"own": {}}}},
            "action_retrieval.classes.own: `action_retrieval.classes.own` needs one of `url`, `path`, `function` ()",
        ),
        (
            {"action_retrieval": {"classes": {"own": {"path": "m", "modle": "x"}}}},
            (
                "action_retrieval.classes.own.modle: `action_retrieval.classes.own` has no setting `modle` "
                "(there are path)"
            ),
        ),
        (
            {"action_retrieval": {"classes": {"own": {"url": "http://x"}}}},
            (
                "action_retrieval.classes.own: `action_retrieval.classes.own` needs the `model` that the server at "
                "`url` is asked for ()"
            ),
        ),
        (
            {"action_retrieval": {"classes": {"own": {"url": "http://x", "model": "m", "timeout_seconds": "9"}}}},
            (
                "action_retrieval.classes.own.timeout_seconds: `action_retrieval.classes.own.timeout_seconds` must be "
                "a number of seconds, not '9' ()"
            ),
        ),
        *(
            (
                {"action_retrieval": {"classes": {"own": {"url": "http://x", "model": "m", "timeout_seconds": value}}}},
                (
                    "action_retrieval.classes.own.timeout_seconds: `action_retrieval.classes.own.timeout_seconds` must "
                    f"be a number of seconds, above 0 and at most 3600, not {value} ()"
                ),
            )
            for value in (math.inf, math.nan, -1, 0, 1e9)
        ),
    ],
)
def test_errors_are_reported_with_their_location(configuration: Any, expected: str) -> None:
    assert problem(configuration) == expected


def test_all_problems_are_reported_at_once_and_the_error_can_be_pickled() -> None:
    with pytest.raises(ToolUseError) as caught:
        read_tool_use({"tool_use": {"chat": "x", "step": "y"}, "router_model": 1})
    assert sorted(each.setting for each in caught.value.problems) == ["router_model", "tool_use.chat", "tool_use.step"]
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_configuration_in_code_is_validated_equally() -> None:
    presentations: Any = {"chat": "retrieval", "step": "codeact"}
    with pytest.raises(ToolUseError) as caught:
        ToolUseConfig(presentations=presentations)
    assert [each.setting for each in caught.value.problems] == ["tool_use.chat", "tool_use.phase"]
