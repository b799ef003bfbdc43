"""Commands for authors of specs, beside the build."""
