"""Call builders of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`: typed keywords in, a request out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.runtime.codec.codec import build_call

from . import codecs, idents

if TYPE_CHECKING:
    from toolgen.contract.records import ToolRequest

    from .types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else import (
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgsAParameterWhoseNameHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInIt,
    )


def new_a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more_call(
    *, a_parameter_whose_name_has_just_sixty_four_characters_in_all_of: str
) -> ToolRequest:
    """Ask for `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more`: Sixty-four characters.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE,
        codecs.A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE_ARGS,
        {
            "a_parameter_whose_name_has_just_sixty_four_characters_in_all_of": a_parameter_whose_name_has_just_sixty_four_characters_in_all_of
        },
    )


def new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all_call() -> (
    ToolRequest
):
    """Ask for `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all`: The same first sixty-four.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL,
        codecs.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL_ARGS,
        {},
    )


def new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else_call(
    *,
    a_parameter_whose_name_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_it: AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgsAParameterWhoseNameHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInIt,
) -> ToolRequest:
    """Ask for `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else`: Many more.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(
        idents.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE,
        codecs.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE_ARGS,
        {
            "a_parameter_whose_name_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_it": a_parameter_whose_name_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_it
        },
    )


def new_named_by_hand_call() -> ToolRequest:
    """Ask for `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.named_by_hand`: With a wire name of its own.

    Raises InvalidPayload where the args do not fit the schema.
    """
    return build_call(idents.NAMED_BY_HAND, codecs.NAMED_BY_HAND_ARGS, {})
