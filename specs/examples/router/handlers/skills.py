"""Skills: small workflows, each of which computes something from an input artifact."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date  # noqa: TC003  # pydantic reads it
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from specs.examples.router.handlers.refusals import not_found, rejected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Artifact = TypeVar("_Artifact", bound=BaseModel)


class Text(BaseModel):
    """What `word_count` takes."""

    model_config = ConfigDict(extra="forbid")

    text: str


class Table(BaseModel):
    """What `table_total` takes: rows by the names of their columns, and the column to add up."""

    model_config = ConfigDict(extra="forbid")

    rows: list[dict[str, JsonValue]]
    column: str


class Dates(BaseModel):
    """What `date_span` takes."""

    model_config = ConfigDict(extra="forbid")

    dates: Annotated[list[date], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Skill(Generic[_Artifact]):
    """A workflow: what it does, the artifact that it takes, and the function that does it."""

    description: str
    takes: type[_Artifact]
    work: Callable[[_Artifact], JsonValue]

    def run(self, artifact: JsonValue) -> JsonValue:
        """Run it. Raises `CallFailed` with `input_refused` where it does not take the artifact."""
        try:
            taken = self.takes.model_validate(artifact)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, each['loc'])) or 'input'}: {each['msg']}" for each in error.errors()[:3]]
            fields = ", ".join(self.takes.model_fields)
            hint = f"the input is an object with {fields}"
            raise rejected("input_refused", f"the skill cannot take this input: {'; '.join(problems)}", hint) from error
        return self.work(taken)


def _word_count(artifact: Text) -> JsonValue:
    words = re.findall(r"\w+", artifact.text.casefold())
    most: dict[str, JsonValue] = dict(Counter(words).most_common(3))
    return {"words": len(words), "lines": len(artifact.text.splitlines()), "most_common": most}


def _table_total(artifact: Table) -> JsonValue:
    cells = [row.get(artifact.column) for row in artifact.rows]
    numbers = [cell for cell in cells if isinstance(cell, int | float) and not isinstance(cell, bool)]
    if not numbers:
        columns = {name for row in artifact.rows for name in row}
        raise rejected(
            "column_without_numbers",
            f"no row has a number in the column {artifact.column[:64]!r}",
            f"the columns are {', '.join(sorted(columns))[:200] or 'none'}",
        )
    return {"total": sum(numbers), "mean": sum(numbers) / len(numbers), "counted": len(numbers)}


def _date_span(artifact: Dates) -> JsonValue:
    first, last = min(artifact.dates), max(artifact.dates)
    return {"first": first.isoformat(), "last": last.isoformat(), "days": (last - first).days}


SKILLS: Final[dict[str, Skill[Any]]] = {
    "word_count": Skill("Counts the words and lines of a text, and names its most common words.", Text, _word_count),
    "table_total": Skill("Adds up a column of a table.", Table, _table_total),
    "date_span": Skill("Finds the first and the last of some dates, and the days between them.", Dates, _date_span),
}


def run_skill(name: str, artifact: JsonValue) -> JsonValue:
    """Run a skill by name. Raises `CallFailed` with `skill_not_found`, and what the skill raises."""
    if name not in SKILLS:
        raise not_found("skill", name, SKILLS)
    return SKILLS[name].run(artifact)


def entries() -> Iterator[tuple[str, str]]:
    """List the skills, with what they do."""
    for name, skill in SKILLS.items():
        yield name, skill.description
