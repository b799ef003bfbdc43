"""Authoring: what authors of specs use beside the build."""
