"""The package `shop.tools`."""
