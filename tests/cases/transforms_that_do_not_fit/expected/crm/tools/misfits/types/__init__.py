"""Types of `crm.misfits`."""
