"""How a model is shown tools, and how its answers become calls."""
