"""The package `lab.tools`."""
