"""The `stressbench` command: one file a subcommand, each with `register(app)`; no logic of its own."""
