"""The package `class_.tools`."""
