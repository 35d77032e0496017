"""Lab files: what they may hold, and the reader that checks it."""
