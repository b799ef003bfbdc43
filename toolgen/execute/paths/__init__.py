"""Opening files so that no link leads out of their folder."""
