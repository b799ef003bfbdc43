"""The package `a_rather_long_owner_name`."""
