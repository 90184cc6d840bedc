"""The formats of task files, one module for each: a row of JSON becomes a task, or is refused."""
