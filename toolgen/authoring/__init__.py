"""Authoring: what authors of specs use beside the build. It imports the compiler; only the command line imports it."""
