"""What is looked at when tools are searched for: documents, their words, and the index that a build writes of them."""
