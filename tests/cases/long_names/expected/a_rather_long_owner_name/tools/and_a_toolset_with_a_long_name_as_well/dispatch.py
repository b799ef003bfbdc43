"""What runs the tools of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`, and the table that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolgen.contract.records import ToolsetRegistration

from . import idents

if TYPE_CHECKING:
    from toolgen.contract.records import Returns, ToolCallMeta, ToolExecutor

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


class Handlers(Protocol):
    """One method for each tool of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`, sync or async."""

    def a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more(
        self, args: AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreArgs, meta: ToolCallMeta, /
    ) -> Returns[AToolWhoseKeyHasJustSixtyFourCharactersAndNotOneMoreResult]:
        """Sixty-four characters."""
        ...

    def a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all(
        self,
        args: AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllArgs,
        meta: ToolCallMeta,
        /,
    ) -> Returns[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereAtAllResult
    ]:
        """The same first sixty-four."""
        ...

    def a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else(
        self,
        args: AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseArgs,
        meta: ToolCallMeta,
        /,
    ) -> Returns[
        AToolWhoseKeyHasManyMoreThanSixtyFourCharactersBecauseSomebodyWantedToSayEverythingInTheNameItselfAndNowhereElseResult
    ]:
        """Many more."""
        ...

    def named_by_hand(self, args: NamedByHandArgs, meta: ToolCallMeta, /) -> Returns[NamedByHandResult]:
        """With a wire name of its own."""
        ...


def executor(handlers: Handlers) -> ToolsetRegistration:
    """Run the tools of this toolset with the methods of `handlers`."""
    return ToolsetRegistration(
        toolset="a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well",
        handlers={
            idents.A_TOOL_WHOSE_KEY_HAS_JUST_SIXTY_FOUR_CHARACTERS_AND_NOT_ONE_MORE: handlers.a_tool_whose_key_has_just_sixty_four_characters_and_not_one_more,
            idents.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_AT_ALL: handlers.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_at_all,
            idents.A_TOOL_WHOSE_KEY_HAS_MANY_MORE_THAN_SIXTY_FOUR_CHARACTERS_BECAUSE_SOMEBODY_WANTED_TO_SAY_EVERYTHING_IN_THE_NAME_ITSELF_AND_NOWHERE_ELSE: handlers.a_tool_whose_key_has_many_more_than_sixty_four_characters_because_somebody_wanted_to_say_everything_in_the_name_itself_and_nowhere_else,
            idents.NAMED_BY_HAND: handlers.named_by_hand,
        },
    )


def new_registration(executor: ToolExecutor) -> ToolsetRegistration:
    """Run the tools of this toolset with one executor, which takes requests with canonical JSON."""
    return ToolsetRegistration(
        toolset="a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well",
        executor=executor,
    )
