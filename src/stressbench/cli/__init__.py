"""The `stressbench` command: each module registers a command with `register`, except those in options and console."""
