"""The steps of a call, one module each. They know a call and its tool, and never each other."""
