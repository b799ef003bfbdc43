"""Located packages: what a command imports of one leaves what was imported under its name as it was."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from hypothesis import given
from hypothesis import strategies as st

from toolgen.runtime.base.located import forget, is_located, locate

if TYPE_CHECKING:
    from types import ModuleType

NAME: Final = "located_here"


def imported() -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == NAME}


@given(
    before=st.sampled_from(["", "one", "two"]),
    is_whole=st.booleans(),
    located=st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=3),
    uses=st.booleans(),
)
def test_what_was_imported_before_is_the_same_afterwards(
    before: str, located: list[str], *, is_whole: bool, uses: bool
) -> None:
    """Else handlers that were imported with their package make results of other classes than those of a new import."""
    with TemporaryDirectory() as name:
        folders = {each: Path(name) / each / NAME for each in ("one", "two")}
        for each, folder in folders.items():
            folder.mkdir(parents=True)
            for module in ("__init__", "models"):
                (folder / f"{module}.py").write_text(f"place = {each!r}\n")
        path = str(Path(name) / before)
        try:
            if before:
                sys.path.insert(0, path)
                import_module(f"{NAME}.models" if is_whole else NAME)
            found = imported()
            for each in located:
                locate(NAME, folders[each])
                if uses:
                    assert import_module(f"{NAME}.models").place == import_module(NAME).place == each
            forget(NAME)
            forget(NAME)  # a command that locates a package twice forgets it twice
            after = imported()
        finally:
            forget(NAME)
            for module in imported():
                del sys.modules[module]
            if before:
                sys.path.remove(path)
    assert not is_located(NAME)
    assert {each: after[each] for each in found} == found
    assert after == found or (before == located[0] and {module.place for module in after.values()} == {before})
