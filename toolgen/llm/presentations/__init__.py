"""How a model is shown the tools, and how its output is read back as calls."""
