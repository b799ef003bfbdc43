"""The package `crm`."""
