"""One call: its plan, its stages, its result and its trace."""
