"""Python: tools with a `handler`, run by functions, methods and tool objects of the host's own code."""

from toolgen.execute.python.executor import PythonExecutor, executor

__all__ = ["PythonExecutor", "executor"]
