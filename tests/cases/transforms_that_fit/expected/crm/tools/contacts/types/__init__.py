"""Types of `crm.contacts`."""
