"""The stages of a call, one module each. They depend on the call and its tool, not on each other."""
