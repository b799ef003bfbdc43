"""Commands beside the build: what authors of specs use."""
