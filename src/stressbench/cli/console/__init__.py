"""The program around the commands: entry point, errors with exit statuses, documents, and the progress of studies."""
