"""Lab files: models of their tables, and the reader that validates them."""
