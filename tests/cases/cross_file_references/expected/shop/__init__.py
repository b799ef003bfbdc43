"""The package `shop`."""
