"""Idents of the tools of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolgen.contract.ident import Ident

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

A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE: Final[
    Ident[
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs,
        AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult,
    ]
] = Ident(
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more"
)
"""Sixty-four characters."""

A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL: Final[
    Ident[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult,
    ]
] = Ident(
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all"
)
"""The same first sixty-four."""

A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE: Final[
    Ident[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs,
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult,
    ]
] = Ident(
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else"
)
"""Many more."""

NAMED_BY_HAND: Final[Ident[NamedByHandArgs, NamedByHandResult]] = Ident(
    "a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well.named_by_hand"
)
"""With a wire name of its own."""

ALL: Final[tuple[Ident[Any, Any], ...]] = (
    A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE,
    A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL,
    A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE,
    NAMED_BY_HAND,
)
"""Every tool of this toolset."""
