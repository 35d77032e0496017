"""How commands print: errors with exit statuses, documents, and the progress of studies."""
