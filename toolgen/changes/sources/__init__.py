"""Sources: tools as servers, functions and documents offer them, and what changed since they were compiled."""
