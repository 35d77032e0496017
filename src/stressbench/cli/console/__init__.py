"""Output of commands: errors with exit statuses, documents, and the progress of studies."""
