"""Durable calls: served calls that the workers of an engine make, and the tasks of the protocol for them."""
