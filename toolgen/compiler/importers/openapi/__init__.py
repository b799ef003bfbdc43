"""OpenAPI 3.0 to 3.2 and Swagger 2.0: descriptions of HTTP APIs to specs of kind `http`."""
