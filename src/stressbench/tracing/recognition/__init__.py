"""Recognition of motifs in captures: what a motif must be given to send a program's messages, and where it does."""
