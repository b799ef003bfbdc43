"""Python: tools with a `handler`, run by functions, methods and tool objects of the host's own code."""

from toolgen.execute.python.executor import PythonExecutor, python_executor

__all__ = ["PythonExecutor", "python_executor"]
