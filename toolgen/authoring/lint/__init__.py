"""Lint: what compiles and is still not good for models, or for people; rules over the IR, found at places in specs."""
