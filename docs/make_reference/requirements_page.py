"""The reference of requirements, from their texts and the tests that carry their ids."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING

from reference_folder import FOLDER

from tests.project.requirements import REQUIREMENT, SOURCE, requirement_tests

if TYPE_CHECKING:
    from re import Match


def requirements_page() -> str:
    """Return the page of all requirements: the text of `requirements.intro.md`, with the tests below each of them."""
    links = defaultdict[str, list[str]](list)
    for file, function, ids in requirement_tests():
        link = f"  - [`{function.name}`]({os.path.relpath(file, FOLDER)})"
        for each in ids:
            links[each].append(link)

    def with_tests(requirement: Match[str]) -> str:
        return "\n".join([requirement[0], *links[requirement[1]]])

    return REQUIREMENT.sub(with_tests, SOURCE.read_text(encoding="utf-8"))
