"""Codecs of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`: JSON to typed values and back, checked against the schemas of the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolgen.runtime.codec.codec import Codec

from .... import PACKAGE

if TYPE_CHECKING:
    from .types.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more import (
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs,
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult,
    )
    from .types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all import (
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult,
    )
    from .types.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else import (
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult,
    )
    from .types.named_by_hand import NamedByHandArgs, NamedByHandResult

A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE_ARGS: Final[
    Codec[AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more",
    "args",
)
A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE_RESULT: Final[
    Codec[AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more",
    "result",
)
A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL_ARGS: Final[
    Codec[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs
    ]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all",
    "args",
)
A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL_RESULT: Final[
    Codec[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult
    ]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all",
    "result",
)
A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE_ARGS: Final[
    Codec[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs
    ]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else",
    "args",
)
A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE_RESULT: Final[
    Codec[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult
    ]
] = Codec.of_package(
    PACKAGE,
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else",
    "result",
)
NAMED_BY_HAND_ARGS: Final[Codec[NamedByHandArgs]] = Codec.of_package(
    PACKAGE, "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.named_by_hand", "args"
)
NAMED_BY_HAND_RESULT: Final[Codec[NamedByHandResult]] = Codec.of_package(
    PACKAGE, "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.named_by_hand", "result"
)
