"""Types of `a_rather_long_owner_name.and_a_toolset_with_a_long_name_as_well`."""
