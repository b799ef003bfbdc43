"""Python: converts what functions and tool objects say of themselves to specs."""
