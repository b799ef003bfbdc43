"""`a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more import (
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs as AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs,
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult as AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult,
    )
    from .types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all import (
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs as AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult as AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult,
    )
    from .types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else import (
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs as AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgsAParameterWhoseNameHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInIt as AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgsAParameterWhoseNameHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInIt,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult as AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult,
    )
    from .types.named_by_hand import NamedByHandArgs as NamedByHandArgs, NamedByHandResult as NamedByHandResult
    from . import codecs as codecs
    from .calls import (
        new_a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more_call as new_a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more_call,
        new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all_call as new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all_call,
        new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else_call as new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else_call,
        new_named_by_hand_call as new_named_by_hand_call,
    )
    from .dispatch import Handlers as Handlers, executor as executor, new_registration as new_registration
    from .idents import (
        A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE as A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE,
        A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL as A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL,
        A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE as A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE,
        NAMED_BY_HAND as NAMED_BY_HAND,
    )
else:
    from toolgen.contract.lazy import reexport

    __getattr__, __dir__, __all__ = reexport(
        __name__,
        {
            "AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs": ".types.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more",
            "AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult": ".types.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more",
            "AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs": ".types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all",
            "AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult": ".types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all",
            "AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs": ".types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else",
            "AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgsAParameterWhoseNameHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInIt": ".types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else",
            "AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult": ".types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else",
            "A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE": ".idents",
            "A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL": ".idents",
            "A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE": ".idents",
            "Handlers": ".dispatch",
            "NAMED_BY_HAND": ".idents",
            "NamedByHandArgs": ".types.named_by_hand",
            "NamedByHandResult": ".types.named_by_hand",
            "codecs": ".codecs",
            "executor": ".dispatch",
            "new_a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more_call": ".calls",
            "new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all_call": ".calls",
            "new_a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else_call": ".calls",
            "new_named_by_hand_call": ".calls",
            "new_registration": ".dispatch",
        },
    )
