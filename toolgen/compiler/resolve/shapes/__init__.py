"""JSON Schema to Python types: the shape of each schema, and the classes and aliases that a toolset needs."""
