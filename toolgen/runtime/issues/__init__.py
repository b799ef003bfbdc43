"""Issues: what is wrong with a value, and how to fix it."""
