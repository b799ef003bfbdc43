"""Variables of security schemes: no two schemes share one, and a scheme keeps its own at each later import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.compiler.importers.openapi.api import OK, import_api, openapi

if TYPE_CHECKING:
    from collections.abc import Iterable

KINDS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "apiKey", "in": "header", "name": "X-Key"},
    {"type": "http", "scheme": "basic"},
    {"type": "http", "scheme": "bearer"},
    {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://h.example/token", "scopes": {}}}},
)
NAMES: Final = ("apiKey", "api_key", "api-key", "API_KEY", "Api Key", "api.key", "api", "api key token", "鍵", "é", "e")


def api(schemes: Iterable[tuple[str, int]]) -> dict[str, Any]:
    """Return an API with an operation for each scheme, by the index of its kind."""
    listed = dict(schemes)
    paths = {
        f"/{number}": {"get": {"operationId": f"o{number}", "security": [{name: []}], **OK}}
        for number, name in enumerate(sorted(listed))
    }
    return openapi(paths, components={"securitySchemes": {name: KINDS[kind] for name, kind in listed.items()}})


def variables(data: dict[str, Any]) -> dict[str, set[str]]:
    """Return the variables of each scheme."""
    auth = data["api"]["auth"]
    return {
        name: {value for value in scheme.values() if str(value).startswith("$env.")} for name, scheme in auth.items()
    }


def test_names_that_are_spelled_alike_have_variables_of_their_own() -> None:
    found = variables(import_api(api([("apiKey", 0), ("api_key", 0), ("api-key", 0)])).data)
    assert found["api-key"] == {"$env.SHOP_API_API_KEY_KEY"}
    assert len(set.union(*found.values())) == 3


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.integers(0, 3)), min_size=1, max_size=5, unique_by=lambda each: each[0]
    ),
    st.integers(0, 5),
    st.randoms(use_true_random=False),
)
def test_no_two_schemes_share_a_variable_and_each_keeps_its_own(
    schemes: list[tuple[str, int]], first: int, random: Any
) -> None:
    before = import_api(api(schemes[: max(first, 1)]))
    shuffled = random.sample(schemes, len(schemes))
    after = import_api(api(shuffled), present=before.text)

    found = variables(after.data)
    assert len(set.union(*found.values())) == sum(map(len, found.values()))
    assert variables(before.data).items() <= found.items()
    assert variables(import_api(api(schemes)).data) == variables(import_api(api(shuffled)).data)
    assert after.messages == []


def test_a_person_may_give_two_schemes_one_variable() -> None:
    document = api([("apiKey", 0), ("api_key", 0)])
    first = import_api(document)
    [other] = variables(first.data)["api_key"]
    again = import_api(document, present=first.text.replace(other, "$env.SHOP_API_API_KEY_KEY"))
    assert set.union(*variables(again.data).values()) == {"$env.SHOP_API_API_KEY_KEY"}


def test_tags_that_are_one_word_keep_their_meanings() -> None:
    tags = [{"name": "Foo bar", "description": "One."}, {"name": "foo-bar", "description": "Other."}]
    found = import_api(openapi({"/a": {"get": {"operationId": "a", "tags": ["Foo bar", "foo-bar"], **OK}}}, tags=tags))
    assert found.data["tags"] == {"foo-bar": "One. Other."}
