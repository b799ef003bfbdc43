"""Authoring: what authors of specs use beside the build. Only the command line imports it."""
