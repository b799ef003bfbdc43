"""The package `catalogs`."""
