"""The project: its configuration, its specs, and the versions of what is installed; before all stages."""
