"""Types of the tool `a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more`, in `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import JsonValue

from toolgen.runtime.codec.models import ClosedModel


class AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs(ClosedModel):
    """Args of `a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more`: Sixty-four characters."""

    a_parameter_whose_name_has_just_sixty_four_characters_in_all_of: str


AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult: TypeAlias = JsonValue
