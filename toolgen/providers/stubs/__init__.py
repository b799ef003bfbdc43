"""Stubs: tools as typed Python functions, for models that write code, generated from the JSON Schemas of a catalog."""
