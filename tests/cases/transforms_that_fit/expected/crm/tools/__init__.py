"""The package `crm.tools`."""
