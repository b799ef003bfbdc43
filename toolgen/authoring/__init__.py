"""What authors of specs use beside the build."""
