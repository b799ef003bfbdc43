"""The package `class_`."""
