"""Publish: writes generated files to disk, all or none, and compares packages with their specs. Imports nothing."""
