"""Publish: generated files onto the disk, all or none, and how a package differs from its specs. Imports nothing."""
