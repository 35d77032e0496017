"""The `stressbench` command: one module per subcommand, each with `register(app)`, and only command-line logic."""
