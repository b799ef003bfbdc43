"""What runs a toolset's tools. An executor is bound to a tool once, and then runs its calls."""
