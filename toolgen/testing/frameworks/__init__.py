"""Scripted models as models of frameworks for agents; each framework is imported in its own module only."""
