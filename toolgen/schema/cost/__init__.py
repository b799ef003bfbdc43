"""The cost of a schema for a validator, computed in linear time, and its limits."""
