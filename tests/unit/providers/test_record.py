"""A provider is one record, of which nothing can be left out."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

import pytest

from toolgen.providers.apis.openai_chat import PLAIN
from toolgen.providers.protocol import Provider, TurnFormat
from toolgen.providers.table import PROVIDERS, provider

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolgen.providers.protocol import CallAnswer, ChoiceMode, ModelReply, OfferedTool, ToolPayload

FIELDS = [field.name for field in fields(Provider)]
RECORD: dict[str, Any] = {name: getattr(PLAIN, name) for name in FIELDS}


class Acme(Provider):
    """A provider with all methods."""

    __slots__ = ()

    def tools(self, offered: Sequence[OfferedTool]) -> ToolPayload:
        raise NotImplementedError

    def tool_choice(self, mode: ChoiceMode, name: str = "") -> dict[str, Any]:
        raise NotImplementedError

    def read(self, response: Mapping[str, Any]) -> ModelReply:
        raise NotImplementedError

    def messages(
        self, response: Mapping[str, Any], answers: Sequence[CallAnswer] = (), message: str = ""
    ) -> list[dict[str, Any]]:
        raise NotImplementedError


@pytest.mark.parametrize("name", PROVIDERS)
def test_each_row_of_the_table_is_a_provider_of_that_name(name: str) -> None:
    made = provider(name)
    assert isinstance(made, Provider)
    assert made.name == name


@pytest.mark.parametrize("name", FIELDS)
def test_a_record_without_one_of_its_fields_is_refused(name: str) -> None:
    assert Acme(**RECORD).name == "openai"
    with pytest.raises(TypeError, match=name):
        Acme(**{key: value for key, value in RECORD.items() if key != name})


@pytest.mark.parametrize("name", ["tools", "tool_choice", "read", "messages"])
def test_a_provider_without_one_of_its_methods_is_refused(name: str) -> None:
    methods = {each: value for each, value in vars(Acme).items() if not each.startswith("__") and each != name}
    incomplete: Any = type("Incomplete", (Provider,), {"__slots__": (), **methods})
    with pytest.raises(TypeError, match=name):
        incomplete(**RECORD)


def test_type_checkers_report_what_is_missing_because_nothing_has_a_default() -> None:
    for record in (Provider, TurnFormat):
        assert [
            field.name for field in fields(record) if (field.default, field.default_factory) != (MISSING, MISSING)
        ] == []
