"""The document and the figure of `stressbench validate`."""
