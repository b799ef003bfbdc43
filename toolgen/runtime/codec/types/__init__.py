"""Types of values: exact, typed, and as pydantic has them."""
