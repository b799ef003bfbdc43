"""The package `lab`."""
