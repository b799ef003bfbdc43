"""Types of `deep`."""
