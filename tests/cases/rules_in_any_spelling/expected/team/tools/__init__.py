"""The package `team.tools`."""
