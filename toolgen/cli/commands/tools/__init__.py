"""Commands about tools: what they are, and what a model is shown of them."""
