"""Tests without servers and without models."""
