"""Stubs: tools as typed Python functions, for models that write code, made from the JSON Schemas of a catalog."""
