"""Types of `hostile`."""
