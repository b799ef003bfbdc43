"""APIs of packages as they could be written: rules that the pairs of specs do not show, and what is no change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import at_most_calls
from toolgen.changes.python_api import Places, Subtypes, Type, compare_apis, read_api, read_apis

NOWHERE = Places({}, {})
PACKAGE = """
from __future__ import annotations
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .models.shared import A as A, B as B
    from .calls import new_find_call as new_find_call
    from .dispatch import Handlers as Handlers
    from .idents import FIND as FIND
"""
MODELS = """
from typing import Annotated, Literal, TypeAlias
from pydantic import Field, JsonValue
from toolgen.runtime.codec.models import ClosedModel
class A(ClosedModel):
    id_: Annotated[str, Field(alias="id")]
    n: int = 1
class B(ClosedModel):
    a: A
"""
CALLS = """
def new_find_call(*, q: str, n: int | None = None) -> ToolRequest: ...
def _private() -> None: ...
"""
DISPATCH = """
from typing import Protocol
from .models.shared import A, B
class Handlers(Protocol):
    def find(self, args: A, meta: ToolCallMeta, /) -> Returns[B]: ...
"""
IDENTS = """
from .models.shared import A, B
FIND: Final[Ident[A, B]] = Ident("shop.find")
"""
SOURCES = {
    "shop/tools/__init__.py": PACKAGE,
    "shop/tools/models/shared.py": MODELS,
    "shop/tools/calls.py": CALLS,
    "shop/tools/dispatch.py": DISPATCH,
    "shop/tools/idents.py": IDENTS,
}


def codes(file: str, old: str, new: str) -> list[str]:
    """Return the codes of the changes where a text of a file is replaced."""
    path = f"shop/tools/{file}"
    assert old in SOURCES[path]
    after = {**SOURCES, path: SOURCES[path].replace(old, new)}
    changes = list(compare_apis(read_api(SOURCES), read_api(after), (NOWHERE, NOWHERE)))
    assert list(compare_apis(*read_apis(SOURCES, after), (NOWHERE, NOWHERE))) == changes
    return [each.code for each in changes]


@pytest.mark.parametrize(
    ("file", "old", "new", "code"),
    [
        ("idents.py", "Ident[A, B]", "Ident[B, B]", "CODE302"),
        ("calls.py", ", n: int | None = None", "", "CODE401"),
        ("calls.py", "n: int | None = None", "n: int | None", "CODE402"),
        ("calls.py", "*, q: str", "*, p: str, q: str", "CODE402"),
        ("calls.py", "q: str", "q: Literal['a']", "CODE403"),
        ("calls.py", "q: str", "q: str = ''", "CODE404"),
        ("calls.py", "q: str", "q: str, p: str = ''", "CODE404"),
        ("calls.py", "q: str", "q: str | int", "CODE405"),
        ("calls.py", "-> ToolRequest", "-> Other", "CODE406"),
        ("dispatch.py", "args: A", "args: B", "CODE502"),
        ("dispatch.py", "Returns[B]", "Returns[A]", "CODE502"),
        ("dispatch.py", ", meta: ToolCallMeta", "", "CODE502"),
        ("dispatch.py", "-> Returns[B]: ...", "-> Returns[B]: ...\n    def drop(self) -> None: ...", "CODE501"),
        ("models/shared.py", "n: int = 1", "n: bool = True", "CODE206 CODE209"),
        ("models/shared.py", "n: int = 1", "n: float = 1", "CODE205"),
        ("models/shared.py", "n: int = 1", "n: JsonValue = 1", "CODE205"),
        ("models/shared.py", "n: int = 1", "n: Literal[1] = 1", "CODE206"),
        ("models/shared.py", "n: int = 1", "n: Literal['1'] = '1'", "CODE207 CODE209"),
        ("models/shared.py", "n: int = 1", "n: int = 2", "CODE209"),
        ("models/shared.py", "a: A", "a: list[A]", "CODE207"),
        ("models/shared.py", "class A(ClosedModel)", "class A(Protocol)", "CODE104"),
    ],
)
def test_a_change_is_reported_by_its_rule(file: str, old: str, new: str, code: str) -> None:
    assert codes(file, old, new) == code.split()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("models/shared.py", "n: int = 1", "n: Annotated[int, Field(ge=1)] = 1"),
        ("models/shared.py", "a: A", "a: 'A'"),
        ("calls.py", "int | None", "None | int"),
        ("calls.py", "_private", "_other"),
        ("dispatch.py", "Returns[B]: ...", 'Returns[B]:\n        """Find."""'),
    ],
)
def test_other_spellings_are_no_change(file: str, old: str, new: str) -> None:
    assert codes(file, old, new) == []


def test_modules_that_both_versions_have_are_not_read() -> None:
    after = {**SOURCES, "shop/tools/calls.py": CALLS.replace("q: str", "q: str | int")}
    apis = read_apis(
        {**SOURCES, "shop/tools/models/shared.py": "a syntax error"},
        {**after, "shop/tools/models/shared.py": "a syntax error"},
    )

    assert [each.code for each in compare_apis(*apis, (NOWHERE, NOWHERE))] == ["CODE405"]


def test_a_float_is_an_int_or_a_float() -> None:
    float_, number = (MODELS.replace("n: int = 1", f"n: {each} = 1") for each in ("float", "int | float"))
    before, after = ({**SOURCES, "shop/tools/models/shared.py": each} for each in (float_, number))
    assert list(compare_apis(read_api(before), read_api(after), (NOWHERE, NOWHERE))) == []


def test_a_class_in_another_module_is_noted() -> None:
    after = {path: text.replace(".models.shared", ".models.find") for path, text in SOURCES.items()}
    after["shop/tools/models/find.py"] = after.pop("shop/tools/models/shared.py")
    found = list(compare_apis(read_api(SOURCES), read_api(after), (NOWHERE, NOWHERE)))
    assert {each.code for each in found} == {"CODE105"}


def test_a_module_that_is_no_python_is_an_error() -> None:
    with pytest.raises(SyntaxError):
        read_api({"shop/tools/__init__.py": "class"})


NESTED = "class A(ClosedModel):\n    x: {}\nclass B(ClosedModel):\n    a: A\n"
HEAD = MODELS.partition("class A")[0]


def compared(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """Return the codes of the changes from one text of the models to another, and how many types were compared."""
    counted: list[int] = []
    compare = Subtypes._is_new_subtype

    def count(types: Subtypes, one: Type, other: Type, *, is_old_first: bool) -> bool:
        counted.append(1)
        return compare(types, one, other, is_old_first=is_old_first)

    monkeypatch.setattr(Subtypes, "_is_new_subtype", count)
    path = "shop/tools/models/shared.py"
    before, after = ({**SOURCES, path: HEAD + models} for models in (old, new))
    changes = compare_apis(read_api(before), read_api(after), (NOWHERE, NOWHERE))
    return [each.code for each in changes], len(counted)


@pytest.mark.parametrize("name", ["list[{}]", "dict[str, {}]", "list[{} | None]"])
@pytest.mark.parametrize(("last", "codes"), [("int", ["CODE207"]), ("str", [])])
def test_each_level_of_nested_types_is_compared_once(
    name: str, last: str, codes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "str", last
    for _ in range(25):
        old, new = name.format(old), name.format(new)
    found, count = compared(NESTED.format(old), NESTED.format(new), monkeypatch)
    assert found == codes
    assert count < 25 * 20


ALIASES = "A: TypeAlias = list[B]\nB: TypeAlias = dict[str, A | {}]\n"


@pytest.mark.parametrize(("last", "is_changed"), [("int", True), ("str", False), ("str | None", True)])
def test_aliases_that_refer_to_each_other_are_compared(
    last: str, is_changed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, count = compared(ALIASES.format("str"), ALIASES.format(last), monkeypatch)
    assert bool(found) is is_changed
    assert count < 50


MEMBERS: dict[str, set[object]] = {
    "Literal['a']": {"a"}, "Literal['b']": {"b"}, "Literal[1]": {1}, "Literal[2]": {2}, "None": {None},
    "str": {"a", "b", "other"}, "int": {1, 2, 3},
}  # fmt: skip
"""Types, and the values that stand for those they have."""

UNIONS = st.lists(st.sampled_from(sorted(MEMBERS)), min_size=1, max_size=4, unique=True)


@given(old=UNIONS, new=UNIONS)
def test_a_union_is_wider_if_it_has_all_values_of_the_other(old: list[str], new: list[str]) -> None:
    before, after = (
        {**SOURCES, "shop/tools/models/shared.py": f"{HEAD}class A(ClosedModel):\n    x: {' | '.join(each)}\n"}
        for each in (old, new)
    )
    was, is_ = (set[object]().union(*(MEMBERS[each] for each in side)) for side in (old, new))
    code = {(True, True): [], (True, False): ["CODE205"], (False, True): ["CODE206"], (False, False): ["CODE207"]}
    assert codes_of(before, after) == code[was <= is_, is_ <= was]


def codes_of(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return [each.code for each in compare_apis(read_api(before), read_api(after), (NOWHERE, NOWHERE))]


@pytest.mark.parametrize("more", ["", " | str", " | None"])
def test_enums_of_many_values_are_compared_in_linear_time(more: str) -> None:
    def versions(count: int) -> tuple[dict[str, str], dict[str, str]]:
        values = [f"'value {number}'" for number in range(count)]
        texts = (f"Literal[{', '.join(each)}]{more}" for each in (values[1:], values))
        old, new = ({**SOURCES, "shop/tools/models/shared.py": f"{HEAD}class A(ClosedModel):\n    x: {text}\n"}
                    for text in texts)  # fmt: skip
        return old, new

    with at_most_calls(400_000):
        assert codes_of(*versions(4_000)) == ([] if more == " | str" else ["CODE205"])
