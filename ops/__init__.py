"""The operator's commands: what talks to a deployed environment.

A folder is a subject, each `*_command.py` in it a command as it is typed; what several subjects share lies beside them.
"""
